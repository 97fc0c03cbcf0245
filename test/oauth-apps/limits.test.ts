// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { back, refresh, registered, sendForm, site } from './dance.ts';

/** Small, so that few requests meet them. */
const rates = {
  oauth: { points: 2, seconds: 60 },
  oauthClients: { points: 3, seconds: 60 },
  oauthSecrets: { points: 8, seconds: 60 },
  oauthRegistrations: { points: 2, seconds: 3600 },
};

describe('the limits of apps', () => {
  let cluster: Cluster;
  let count = 0;
  const node = (): Node => {
    const [first] = cluster.nodes;
    if (!first) throw new Error('no node');
    return first;
  };
  const address = () => ({ 'x-forwarded-for': `198.51.100.${++count}` });
  const renew = (client: Record<string, string>, headers: object) =>
    sendForm(node(), '/oauth/token', { grant_type: 'refresh_token', ...client, refresh_token: 'x' }, headers);
  const words = async (times: number, call: () => Promise<Answer>): Promise<string[]> => {
    const found: string[] = [];
    for (let i = 0; i < times; i++) found.push((await call()).body.error);
    return found;
  };

  before(async () => {
    const accounts = { apps: { unused: 3 } };
    cluster = await startCluster({
      nodes: 1,
      settings: { publicUrl: site, rateLimits: true, trustProxy: 1, rates, accounts },
    });
  });
  after(() => cluster.stop());

  it('count those with a secret each by itself, and all others by their address', async () => {
    const owner = await register(node(), {}, address());
    const [open, closed] = [await registered(owner), await registered(owner, { confidential: true })];
    const here = address();
    const isPublic = { client_id: open.clientId };
    const [refused, limited] = ['invalid_grant', 'temporarily_unavailable'];
    expect(await words(4, () => renew(isPublic, here))).to.deep.equal([refused, refused, refused, limited]);
    const wrong = { client_id: closed.clientId, client_secret: 'wrong' };
    expect((await renew(wrong, here)).status).to.equal(429);
    expect((await renew(wrong, address())).body.error).to.equal('invalid_client');
    const right = { client_id: closed.clientId, client_secret: closed.clientSecret };
    expect(await words(8, () => renew(right, here))).to.deep.equal(Array.from({ length: 8 }, () => refused));
    expect((await renew(right, address())).status).to.equal(429);
    expect((await refresh(node(), open, 'x')).body.error).to.equal(refused);
  });

  it('let an address register some apps, and make room for those of others', async () => {
    const add = (headers: object) =>
      request(node(), 'POST', '/oauth/register', { redirect_uris: [back] }, { ...headers });
    const here = address();
    const ids: string[] = [];
    for (const headers of [here, here, address()]) ids.push((await add(headers)).body.client_id);
    expect((await add(here)).status).to.equal(429);
    expect((await add(address())).status, 'so young that their users may be about to come').to.equal(429);
    await query(cluster.databaseUrl, "UPDATE oauth_apps SET created_at = now() - interval '15 minutes' WHERE id = $1", [
      ids[0],
    ]);
    const { status, body } = await add(address());
    expect(status).to.equal(201);
    const left = await query<{ id: string }>(
      cluster.databaseUrl,
      'SELECT id FROM oauth_apps WHERE owner_id IS NULL ORDER BY created_at, id',
    );
    expect(left.map(({ id }) => id)).to.have.members([ids[1], ids[2], body.client_id]);
  });
});
