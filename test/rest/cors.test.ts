// nodes: own

import { expect } from 'chai';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, request } from '../world/person.ts';
import { type World, world } from '../world/world.ts';
import { raw } from './raw.ts';
import { expectError } from './verdict.ts';

describe('browsers', () => {
  const home = 'https://app.example';
  const stranger = 'https://evil.example';
  let open: World;
  let cluster: Cluster;
  let closed: World;

  before(async () => {
    open = await world();
    cluster = await startCluster({ nodes: 1, settings: { corsOrigins: [home] } });
    closed = await world(cluster);
  });
  after(async () => {
    open.close();
    closed.close();
    await cluster.stop();
  });

  const preflight = (here: World, origin: string, method = 'POST') =>
    raw(here.alice.node, 'OPTIONS', `/api/channels/${here.channel.id}/messages`, {
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    });

  it('of any origin may ask where no origins are set', async () => {
    const { status, headers } = await preflight(open, stranger);
    expect(status).to.equal(204);
    expect(headers.get('access-control-allow-origin')).to.equal(stranger);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(headers.get('access-control-allow-methods')).to.contain(method);
    }
    expect(headers.get('access-control-allow-headers')).to.contain('idempotency-key');
    expect(headers.get('access-control-max-age')).to.equal('3600');
    expect(headers.get('vary')?.toLowerCase()).to.contain('origin');
  });

  it('of the origins that are set may ask, of others not', async () => {
    expect((await preflight(closed, home)).headers.get('access-control-allow-origin')).to.equal(home);
    expect((await preflight(closed, stranger)).headers.get('access-control-allow-origin')).to.equal(null);
    const answer = await closed.alice.get('/api/auth/me', { origin: stranger });
    expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
    expect(
      (await closed.alice.get('/api/auth/me', { origin: home })).headers.get('access-control-allow-origin'),
    ).to.equal(home);
  });

  it('can read the headers that matter, also of errors', async () => {
    for (const path of ['/api/auth/me', '/api/nothing', `/api/channels/${crypto.randomUUID()}`]) {
      const { headers } = await open.alice.get(path, { origin: home });
      expect(headers.get('access-control-allow-origin'), path).to.equal(home);
      for (const name of ['X-Request-Id', 'X-Has-More', 'Retry-After', 'ETag', 'Content-Disposition']) {
        expect(headers.get('access-control-expose-headers')).to.contain(name);
      }
    }
    const refused = await request(open.alice.node, 'GET', '/api/auth/me', undefined, { origin: home });
    expectError(refused, 'AUTH_TOKEN_MISSING');
    expect(refused.headers.get('access-control-allow-origin')).to.equal(home);
  });

  it('may open sockets from the origins that are set only', async () => {
    for (const transport of ['websocket', 'polling']) {
      const dial = (origin: string) =>
        closed.alice.dial({ transports: [transport], reconnection: false, extraHeaders: { origin } }).socket;
      const good = dial(home);
      await new Promise<void>((resolve, reject) => {
        good.once('connect', resolve);
        good.once('connect_error', reject);
      });
      const bad = dial(stranger);
      const error = await new Promise<Loose>((resolve, reject) => {
        bad.once('connect', () => reject(new Error('a stranger came in')));
        bad.once('connect_error', resolve);
      });
      expect(error).to.be.instanceOf(Error);
    }
  });

  it('are told not to guess types, not to be framed, and not to tell where they come from', async () => {
    const { headers } = await open.alice.get('/api/auth/me');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('x-frame-options')).to.match(/SAMEORIGIN|DENY/);
    expect(headers.get('x-powered-by')).to.equal(null);
    expect(headers.get('content-security-policy')).to.be.a('string');
  });

  it('get the head of an answer by HEAD, and nothing else', async () => {
    const bearer = { authorization: `Bearer ${open.alice.token}` };
    const path = `/api/channels/${open.channel.id}`;
    const head = await raw(open.alice.node, 'HEAD', path, { headers: bearer });
    expect(head.status).to.equal(200);
    expect(head.body).to.equal('');
    expect(head.headers.get('content-type')).to.contain('application/json');
    expect((await raw(open.alice.node, 'HEAD', path)).status).to.equal(401);
    expect((await raw(open.alice.node, 'HEAD', '/api/nothing')).status).to.equal(404);
    expect((await raw(open.alice.node, 'HEAD', '/api/auth/login')).status).to.equal(405);
  });

  it('get the methods of an address by OPTIONS, also without an origin', async () => {
    const answer = await raw(open.alice.node, 'OPTIONS', `/api/channels/${open.channel.id}/messages`);
    expect([200, 204, 405]).to.include(answer.status);
    expect(answer.headers.get('allow')).to.contain('GET').and.to.contain('POST');
  });
});
