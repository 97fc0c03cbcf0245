import { expect } from 'chai';
import { Parley, type ParleyError } from '../../src/client/index.ts';
import type { Node } from '../../src/node/node.ts';
import { receiver } from '../agents/receiver.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { type Loose, request } from '../world/person.ts';
import { world } from '../world/world.ts';
import { clientId, clientSecret, type Issuer, startIssuer } from './identity-provider.ts';
import { codeIn, dataFolder, tokenIn, verificationIn, verificationTo } from './mailbox.ts';
import { Armed, open, shut } from './squatter.ts';

const site = 'https://suspension.example.test';
const folder = dataFolder();
const suspended = {
  ...{ access: '403 ACCOUNT_SUSPENDED', refresh: '403 ACCOUNT_SUSPENDED', pat: '403 ACCOUNT_SUSPENDED' },
  ...{ bot: '403 ACCOUNT_SUSPENDED', model: '403', password: '403 ACCOUNT_SUSPENDED' },
  ...{ accessSocket: 'ACCOUNT_SUSPENDED', patSocket: 'ACCOUNT_SUSPENDED', botSocket: 'ACCOUNT_SUSPENDED' },
};

describe('the operator, whose command line reaches no Redis,', () => {
  let cluster: Cluster;
  let issuer: Issuer;
  let armed: Armed;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const address = () => `o${Math.random().toString(36).slice(2)}@example.com`;
  const post = (path: string, body: object, i = 0) => request(at(i), 'POST', path, body);
  const operator = async (...args: string[]) => {
    const outcome = await parley({ DATABASE_URL: cluster.databaseUrl, DATA_DIR: folder.dataDir }, args);
    expect([outcome.code, outcome.complaint]).to.deep.equal([0, '']);
    return outcome.out;
  };

  before(async () => {
    issuer = await startIssuer();
    const oauthProviders = [{ name: 'corp', kind: 'openid' as const, issuer: issuer.url, clientId, clientSecret }];
    const webhooks = { retryMs: 20, pollMs: 100 };
    const settings = {
      publicUrl: site,
      dataDir: folder.dataDir,
      appProxyAllow: ['127.0.0.1'],
      oauthProviders,
      webhooks,
      // Refresh tokens are tried again and again, however long that takes.
      accounts: { refreshGraceSeconds: 600 },
    };
    cluster = await startCluster({ settings });
  });
  beforeEach(async () => {
    armed = await Armed.at({ nodes: cluster.nodes, site, issuer }, address());
  });
  afterEach(() => armed.hangUp());
  after(async () => {
    await cluster.stop();
    issuer.stop();
  });

  it('shuts someone out at every door of every node, closes their sockets, and lets them in again with what they had', async () => {
    const { person, email } = armed;
    const codes = await mail(email, 'email/start', 'code to sign in');
    const resets = await mail(email, 'password-reset/start', 'reset-password');
    const link = await verificationTo(folder, email);
    const poll = person.get(`/api/events?after=0&wait=20`);
    await operator('suspend', person.username, '--reason', 'Spam');
    for (const { socket } of armed.sockets) await until(() => socket.disconnected);
    await until(async () => (await person.on(at(1)).get('/api/auth/me')).status === 403);
    await until(async () => (await person.on(at(0)).get('/api/auth/me')).status === 403);
    for (const node of cluster.nodes) expect(await armed.doors(node)).to.deep.equal(suspended);
    await poll;
    const refused = await person.get('/api/auth/me');
    expect(refused.body).to.include({ ok: false, code: 'ACCOUNT_SUSPENDED', reason: 'Spam' });
    expect(refused.body.error).to.equal(
      'This account is suspended. The reason: Spam. Ask the operator of this server.',
    );
    const idToken = await issuer.token({ sub: `owner-${email}`, email, email_verified: true });
    const doors = [
      await post('/api/auth/email/verify', { email, code: codeIn(codes) }, 1),
      await post('/api/auth/password-reset/complete', { token: tokenIn(resets), newPassword: 'of the owner' }),
      await post('/api/auth/corp/id-token', { idToken }),
      await armed.idToken(at(1)),
      await post('/api/auth/email-verification/complete', { token: verificationIn(link) }, 1),
    ];
    for (const { status, body } of doors) expect([status, body.code]).to.deep.equal([403, 'ACCOUNT_SUSPENDED']);
    await operator('unsuspend', person.username);
    for (const node of cluster.nodes) {
      await until(async () => (await person.on(node).get('/api/auth/me')).status === 200);
      await until(async () => (await armed.bot.on(node).get('/api/auth/me')).status === 200);
      expect(await armed.doors(node)).to.deep.equal(open);
    }
  });

  it('shuts them out of sight too: they are offline, and their links to files open nothing', async () => {
    const here = await world(cluster);
    const { person, bot } = armed;
    const seen = await here.alice.connect();
    await person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    await person.post(`/api/servers/${here.server.id}/agents`, { agentIds: [armed.agentId] });
    const file = await person.upload('a.txt', new TextEncoder().encode('text'));
    const { url } = (await person.get(`/api/attachments/${file.id}/media-url`)).body;
    expect((await fetch(at(1).url + url)).status).to.equal(200);
    const statusOf = async (id: string): Promise<string> => {
      const members: Loose[] = (await here.alice.get(`/api/servers/${here.server.id}/members`)).body;
      return members.find(({ userId }) => userId === id)?.user.status;
    };
    for (const { id } of [person, bot]) await until(async () => (await statusOf(id)) === 'online');
    await operator('suspend', person.username);
    for (const { id } of [person, bot]) await until(async () => (await statusOf(id)) === 'offline');
    for (const node of cluster.nodes) await until(async () => (await fetch(node.url + url)).status === 403);
    await operator('unsuspend', person.username);
    for (const node of cluster.nodes) await until(async () => (await fetch(node.url + url)).status === 200);
    seen.close();
    here.close();
  });

  it('signs their clients out, which are told why', async () => {
    const client = new Parley({ url: at(1).url });
    const told: ParleyError[] = [];
    client.on('signed-out', (error) => void told.push(error));
    try {
      await client.signIn({ email: armed.email, password: 'correct horse' });
      client.connect();
      await until(() => client.state.status === 'live');
      await operator('suspend', armed.person.username, '--reason', 'Spam');
      await until(() => told.length > 0);
      expect(told.map(({ code }) => code)).to.deep.equal(['ACCOUNT_SUSPENDED']);
      expect(told[0]?.message).to.contain('Spam');
      expect(client.signedIn).to.equal(false);
    } finally {
      client.disconnect();
    }
  });

  it('has nothing sent to the webhooks of their bots meanwhile', async () => {
    const here = await world(cluster);
    const { person, agentId } = armed;
    const [hook, other] = [await receiver(), await receiver()];
    try {
      const robot = await botIn(here.server, here.alice);
      await here.alice.put(`/api/agents/${robot.agentId}/webhook`, { url: other.url });
      await person.put(`/api/agents/${agentId}/webhook`, { url: hook.url });
      hook.secret = (await person.post(`/api/agents/${agentId}/webhook/secret`)).body.secret;
      await person.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
      await person.post(`/api/servers/${here.server.id}/agents`, { agentIds: [agentId] });
      await here.alice.say(here.channel.id, 'before');
      await hook.next(({ event }) => event.data?.content === 'before');
      await operator('suspend', person.username);
      for (const node of cluster.nodes)
        await until(async () => (await person.on(node).get('/api/auth/me')).status === 403);
      await here.alice.say(here.channel.id, 'meanwhile');
      await other.next(({ event }) => event.data?.content === 'meanwhile');
      expect(hook.arrived.some(({ event }) => event.data?.content === 'meanwhile')).to.equal(false);
      await operator('unsuspend', person.username);
      await hook.next(({ event }) => event.data?.content === 'meanwhile');
    } finally {
      await Promise.all([hook.close(), other.close()]);
      here.close();
    }
  });

  it('ends everything of someone, not sessions alone', async () => {
    await operator('revoke-sessions', armed.person.username);
    const ended = { ...shut, password: '200' };
    for (const node of cluster.nodes) {
      await until(async () => (await armed.bot.on(node).get('/api/auth/me')).status === 401);
      await until(async () => (await armed.pat.on(node).get('/api/auth/me')).status === 401);
      await until(async () => (await armed.person.on(node).get('/api/auth/me')).status === 401);
      await until(async () => (await armed.doors(node)).model === '401');
      expect(await armed.doors(node)).to.deep.equal(ended);
    }
    for (const { socket } of armed.sockets) await until(() => socket.disconnected);
    expect((await armed.idToken(at(0))).body.user.id).to.equal(armed.person.id);
  });

  async function mail(email: string, path: string, has: string) {
    await post(`/api/auth/${path}`, { email });
    return until(async () =>
      (await folder.mails()).findLast(({ to, text }) => to?.[0]?.address === email && text?.includes(has)),
    );
  }
});
