// nodes: own

import { expect } from 'chai';
import type { Route } from '../../src/rest/route.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { expectError } from './verdict.ts';

/** As many as it takes to make a world. */
const few = { points: 3, seconds: 600 };
const rates = { requests: few, openRequests: few, appRequests: few, badTokens: few };
const nobody = '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d';

describe('limits of all requests', () => {
  let cluster: Cluster;
  let here: World;
  let count = 0;
  /** An address that nobody has used. */
  const address = () => ({ 'x-forwarded-for': `203.0.${++count >> 8}.${count & 255}` });

  before(async () => {
    const settings = { rateLimits: true, trustProxy: 1, rates };
    cluster = await startCluster({ nodes: 1, settings });
    here = await world(cluster, address);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const get = (path: string, headers: Record<string, string>) => ask('GET', path, headers);
  const ask = (method: string, path: string, headers: Record<string, string>): Promise<Answer> =>
    request(here.alice.node, method, path, method === 'GET' ? undefined : {}, headers);
  const bearer = () => ({ authorization: `Bearer ${here.alice.token}` });

  it('there is no route without one: whoever has none left is refused by each, before it does anything', async () => {
    const { routes } = here.alice.node.endpoints;
    expect(routes.length).to.be.greaterThan(150);
    for (const route of routes) {
      const headers = { ...address(), ...(route.auth === 'required' ? bearer() : {}) };
      await useUp(route.userContent ? `/api/app-proxy/${nobody}/` : harmless(route), headers);
      const answer = await ask(route.method, route.path.replace(/[:*]\w+/g, nobody), headers);
      expect(answer.status, `${route.method} ${route.path}`).to.equal(429);
    }
    expect((await get('/api/auth/me', { ...address(), ...bearer() })).status).to.equal(200);
  });

  const useUp = async (path: string, headers: Record<string, string>) => {
    for (let i = 0; i < few.points; i++) expect((await get(path, headers)).status).to.be.below(429);
  };
  const harmless = ({ auth }: Route) => (auth === 'required' ? '/api/auth/me' : '/app/icon.svg');

  it('count what is changed without signing in against a limit of its own too', () => {
    const changing = here.alice.node.endpoints.routes.filter(
      ({ auth, method }) => auth !== 'required' && method !== 'GET',
    );
    const without = changing.filter(({ limit, userContent, admit }) => !limit && !userContent && !admit);
    expect(changing.length).to.be.greaterThan(8);
    // One address may be that of all users of a tool: these are counted for the app that asks, and by address before it is known.
    expect(without.map(({ path }) => path)).to.have.members(
      ['token', 'revoke', 'introspect', 'device'].map((call) => `/oauth/${call}`),
    );
  });

  it('count people by themselves, and each address of theirs, so that nobody uses up what another needs', async () => {
    const [one, other] = [address(), address()];
    await useUp('/api/auth/me', { ...one, ...bearer() });
    expectError(await get('/api/auth/me', { ...one, ...bearer() }), 'RATE_LIMITED');
    expect((await get('/api/auth/me', { ...other, ...bearer() })).status).to.equal(200);
    const bob = { authorization: `Bearer ${here.bob.token}` };
    expect((await get('/api/auth/me', { ...one, ...bob })).status).to.equal(200);
    expect((await get('/app/icon.svg', one)).status).to.equal(200);
  });

  it('look at no token of an address that has sent many bad ones, over REST and sockets', async () => {
    const from = address();
    const bad = { authorization: 'Bearer none' };
    for (let i = 0; i < 3; i++) expectError(await get('/api/auth/me', { ...from, ...bad }), 'ACCESS_TOKEN_INVALID');
    expectError(await get('/api/auth/me', { ...from, ...bad }), 'RATE_LIMITED');
    expectError(await get('/api/auth/me', { ...from, ...bearer() }), 'RATE_LIMITED');
    expect((await get('/api/auth/me', { ...address(), ...bearer() })).status).to.equal(200);
  });
});
