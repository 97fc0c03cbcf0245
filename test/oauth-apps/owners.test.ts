// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { leave } from '../accounts/leaving.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { asking, clientOf, pkce, refresh, registered, sendForm, site, tokensOf } from './dance.ts';

describe('an app of someone who no longer answers for it', () => {
  let cluster: Cluster;
  let owner: Person;
  let user: Person;
  let app: Loose;
  let tokens: Loose;
  const at = (i: number): Node => {
    const node = cluster.nodes[i];
    if (!node) throw new Error('no node');
    return node;
  };
  const statuses = () =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        const { status } = await new Person(node, { ...user, token: tokens.access_token }).get('/api/auth/me');
        return status;
      }),
    );
  const look = async () => (await user.post('/api/oauth/authorizations/look', asking(app, pkce().challenge))).status;
  const listening = () => new Person(at(1), { ...user, token: tokens.access_token }).connect();

  before(async () => {
    cluster = await startCluster({ nodes: 2, settings: { publicUrl: site } });
  });
  after(() => cluster.stop());
  beforeEach(async () => {
    [owner, user] = await Promise.all([register(at(0)), register(at(1))]);
    app = await registered(owner, { confidential: true });
    tokens = await tokensOf(user, app, 'messages:read account:read');
    expect(await statuses()).to.deep.equal([200, 200]);
  });

  it('is stopped on all nodes while they are suspended, and goes on after that', async () => {
    const operator = await register(at(0));
    await query(cluster.databaseUrl, 'UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
    const device = (await sendForm(at(0), '/oauth/device', { ...clientOf(app), scope: 'account:read' })).body;
    const socket = await listening();
    const suspension = `/api/operator/users/${owner.id}/suspension`;
    expect((await operator.put(suspension, { reason: 'Spam' })).status).to.equal(200);
    expect(await statuses()).to.deep.equal([401, 401]);
    await until(() => !socket.socket.connected);
    expect((await refresh(at(1), app, tokens.refresh_token)).body.error).to.equal('invalid_client');
    expect(await look()).to.equal(400);
    const code = { userCode: device.user_code };
    expect((await user.post('/api/oauth/devices/look', code)).body.code).to.equal('OAUTH_CODE_NOT_FOUND');
    expect((await user.post('/api/oauth/devices', { ...code, allow: true })).status).to.equal(404);
    expect((await operator.delete(suspension)).status).to.equal(200);
    expect(await statuses()).to.deep.equal([200, 200]);
    expect((await refresh(at(1), app, tokens.refresh_token)).status).to.equal(200);
    expect(await look()).to.equal(200);
  });

  it('is stopped once they leave, unless they come back', async () => {
    const socket = await listening();
    expect((await leave(owner)).status).to.equal(200);
    expect(await statuses()).to.deep.equal([401, 401]);
    await until(() => !socket.socket.connected);
    expect((await refresh(at(1), app, tokens.refresh_token)).body.error).to.equal('invalid_client');
    const login = { email: owner.username, password: 'correct horse' };
    expect((await request(at(1), 'POST', '/api/auth/login', login)).body.restored).to.equal(true);
    expect(await statuses()).to.deep.equal([200, 200]);
  });

  it('is stopped also by what is written past the nodes', async () => {
    const socket = await listening();
    const leaving = "UPDATE users SET deletes_at = now() + interval '7 days' WHERE id = $1";
    await query(cluster.databaseUrl, leaving, [owner.id]);
    await until(async () => (await statuses()).every((status) => status === 401));
    await until(() => !socket.socket.connected);
  });
});
