// nodes: own

import { expect } from 'chai';
import { endSuspensions } from '../../src/features/accounts/instance-bans.table.ts';
import { codeIn, dataFolder } from '../accounts/mailbox.ts';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { parley } from '../world/operator.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, world } from '../world/world.ts';

const folder = dataFolder();

describe('operators', () => {
  let cluster: Cluster;
  let here: Awaited<ReturnType<typeof world>>;
  let operator: Person;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const command = async (...args: string[]) => {
    const env = { DATABASE_URL: cluster.databaseUrl, DATA_DIR: folder.dataDir };
    const { code, out, complaint } = await parley(env, args);
    return code === 0 ? out : complaint;
  };
  const emailOf = async (person: Person): Promise<string> => (await person.get('/api/auth/me')).body.email;
  const report = (person: Person, body: object) => person.post('/api/reports', { category: 'illegal', ...body });
  const caseOf = async (objectId: string): Promise<Loose> => {
    const { body } = await operator.get('/api/operator/reports?limit=100');
    return body.find((one: Loose) => one.objectId === objectId) ?? {};
  };
  const decide = (id: string, body: object) => operator.post(`/api/operator/reports/${id}/decide`, body);

  before(async () => {
    cluster = await startCluster({ nodes: 2, settings: { dataDir: folder.dataDir } });
    here = await world(cluster);
    operator = await register(at(1));
    expect(await command('grant-operator', operator.username)).to.contain('operator now');
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  it('have a capability that the command line grants and takes', async () => {
    const person = await register(at(0));
    const capabilities = async (): Promise<string[]> => (await person.get('/api/membership/me')).body.capabilities;
    expect(await capabilities()).not.to.include('instance:admin');
    const refused = await person.get('/api/operator/users');
    expect([refused.status, refused.body.code, refused.body.capability]).to.deep.equal([
      403,
      'FORBIDDEN',
      'instance:admin',
    ]);
    await command('grant-operator', person.username);
    expect(await capabilities()).to.include('instance:admin');
    expect((await person.get('/api/auth/me')).body.membership.capabilities).to.include('instance:admin');
    expect((await person.on(at(1)).get('/api/operator/users')).status).to.equal(200);
    await command('revoke-operator', person.username);
    for (const node of cluster.nodes) expect((await person.on(node).get('/api/operator/users')).status).to.equal(403);
  });

  it('keep what they decide when its server is deleted', async () => {
    const owner = await register(at(0));
    const server = (await owner.post('/api/servers', { name: 'Short-lived' })).body;
    await here.bob.post('/api/servers/_/join', { inviteCode: server.inviteCode });
    expect((await report(here.bob, { kind: 'user', userId: owner.id, serverId: server.id })).status).to.equal(201);
    expect((await owner.delete(`/api/servers/${server.id}`)).status).to.equal(200);
    expect(await caseOf(owner.id)).to.include({ serverId: null, status: 'open' });
  });

  it('have a log of what they do, which no server tells of', async () => {
    const [first, second] = [await register(at(0)), await register(at(1))];
    await operator.put(`/api/operator/users/${first.id}/suspension`, { reason: 'spam' });
    await operator.delete(`/api/operator/users/${first.id}/suspension`);
    await operator.post('/api/operator/bans', { userId: second.id, reason: 'worse' });
    await operator.delete(`/api/operator/bans/${second.id}`);
    await report(here.alice, { kind: 'user', userId: first.id });
    const { id } = await caseOf(first.id);
    await decide(id, { action: 'dismiss', reason: 'no' });
    const { body } = await operator.get('/api/operator/audit?limit=5');
    const told = body.map(({ action, actor, target, reason }: Loose) => [action, actor.id, target.id, reason]);
    expect(told).to.deep.equal([
      ['report.decide', operator.id, id, 'no'],
      ['instance.unban', operator.id, second.id, null],
      ['instance.ban', operator.id, second.id, 'worse'],
      ['account.unsuspend', operator.id, first.id, null],
      ['account.suspend', operator.id, first.id, 'spam'],
    ]);
    expect((await here.alice.get('/api/operator/audit')).status).to.equal(403);
    const granted = (await operator.get('/api/operator/audit?action=operator.grant')).body;
    expect(granted.map(({ source, target }: Loose) => [source, target.id])).to.deep.include(['cli', operator.id]);
  });

  it('act only in a session that was lately confirmed, never by a program', async () => {
    const { token } = (await operator.post('/api/tokens', { name: 'x' })).body;
    const program = await request(at(0), 'GET', '/api/operator/bans', undefined, { authorization: `Bearer ${token}` });
    expect([program.status, program.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    const age = (minutes: number) =>
      query(
        cluster.databaseUrl,
        `UPDATE sessions SET created_at = now() - $2 * interval '1 minute' WHERE user_id = $1`,
        [operator.id, minutes],
      );
    await age(16);
    expect((await operator.get('/api/operator/bans')).body.code).to.equal('CONFIRMATION_REQUIRED');
    await operator.post('/api/auth/confirm', { password: 'correct horse' });
    expect((await operator.get('/api/operator/bans')).status).to.equal(200);
  });

  it('decide about direct messages, people and servers, which no moderator sees', async () => {
    const { alice, bob, server } = here;
    const dm = (await alice.post('/api/dm/channels', { userId: bob.id })).body;
    const direct = await bob.say(dm.id, 'threat');
    expect((await report(alice, { kind: 'message', messageId: direct.id })).status).to.equal(201);
    const { id: about } = await caseOf(direct.id);
    expect(await caseOf(direct.id)).to.deep.include({ serverId: null, title: 'threat' });
    expect((await decide(about, { action: 'delete' })).status).to.equal(200);
    expect((await alice.get(`/api/reports/${about}`)).body.code).to.equal('REPORT_NOT_FOUND');
    await report(bob, { kind: 'server', serverId: server.id });
    await report(alice, { kind: 'user', userId: bob.id });
    for (const id of [server.id, bob.id]) expect(await caseOf(id)).to.deep.include({ serverId: null, status: 'open' });
    const { body } = await operator.get(`/api/operator/reports/${(await caseOf(bob.id)).id}`);
    expect(body.snapshot.name).to.contain(bob.username);
    expect((await alice.get(`/api/servers/${server.id}/reports`)).body).to.deep.equal([]);
  });

  it('delete a reported server with the decision, for everyone', async () => {
    const { alice, bob } = here;
    const server = (await alice.post('/api/servers', { name: 'Bad place', isPublic: true })).body;
    const path = `/api/servers/${server.id}`;
    expect((await report(bob, { kind: 'server', serverId: server.id })).status).to.equal(201);
    const { id } = await caseOf(server.id);
    for (const action of ['suspend', 'ban'])
      expect((await decide(id, { action })).body.code, action).to.equal('VALIDATION_FAILED');
    expect((await operator.get(`/api/operator/reports/${id}`)).body.current).to.equal('Bad place');
    expect((await decide(id, { action: 'delete' })).body).to.include({ status: 'decided', action: 'delete' });
    for (const node of cluster.nodes) expect((await alice.on(node).get(path)).status).to.equal(404);
    expect((await operator.get(`/api/operator/reports/${id}`)).body.current).to.equal(null);
  });

  it('get what moderators hand to them, and then decide it alone', async () => {
    const { alice, bob, channel } = here;
    const member = await register(at(0));
    await member.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const bad = await bob.say(channel.id, 'beyond me');
    await report(member, { kind: 'message', messageId: bad.id });
    const { id } = (await alice.get(`/api/servers/${here.server.id}/reports`)).body[0];
    expect((await operator.get(`/api/operator/reports/${id}`)).body.code).to.equal('REPORT_NOT_FOUND');
    const { socket } = await operator.connect();
    const told = new Promise((resolve) => socket.once('report:created', resolve));
    expect((await alice.post(`/api/reports/${id}/escalate`)).status).to.equal(200);
    await told;
    socket.disconnect();
    expect((await alice.post(`/api/reports/${id}/decide`, { action: 'dismiss' })).body.code).to.equal('FORBIDDEN');
    expect((await decide(id, { action: 'delete' })).body.action).to.equal('delete');
    expect((await decide(id, { action: 'dismiss' })).body.code).to.equal('REPORT_DECIDED');
  });

  it('hold responsible for a bot who had it when it was reported, whoever has it now', async () => {
    const [owner, next] = [await register(at(0)), await register(at(1))];
    const robot = await bot(owner);
    expect((await report(here.alice, { kind: 'user', userId: robot.id })).status).to.equal(201);
    const offer = await owner.post('/api/handovers', { userId: next.id, agentId: robot.agentId });
    expect((await next.post(`/api/handovers/${offer.body.id}/accept`)).status).to.equal(200);
    const { id } = await caseOf(robot.id);
    expect((await decide(id, { action: 'suspend', reason: 'Spam' })).status).to.equal(200);
    const states = [await owner.get('/api/auth/me'), await next.get('/api/auth/me')];
    expect(states.map(({ status, body }) => [status, body.code])).to.deep.equal([
      [403, 'ACCOUNT_SUSPENDED'],
      [200, undefined],
    ]);
  });

  it('ban someone with the decision: shut out at once on every node, until the ban ends by itself', async () => {
    const person = await register(at(0));
    const email = await emailOf(person);
    await report(here.alice, { kind: 'user', userId: person.id });
    const { socket } = await person.on(at(1)).connect();
    const soon = new Date(Date.now() + 60 * 60 * 1000).toISOString();
    const decided = await decide((await caseOf(person.id)).id, { action: 'ban', reason: 'Fraud', until: soon });
    expect([decided.status, decided.body.action]).to.deep.equal([200, 'ban']);
    await until(() => socket.disconnected);
    for (const node of cluster.nodes) {
      const { status, body } = await person.on(node).get('/api/auth/me');
      expect([status, body.code, body.reason, body.until]).to.deep.equal([403, 'ACCOUNT_SUSPENDED', 'Fraud', soon]);
    }
    const bans: Loose[] = (await operator.get('/api/operator/bans')).body;
    expect(bans.find(({ userId }) => userId === person.id)).to.deep.include({ reason: 'Fraud', until: soon });
    expect(await command('bans')).to.contain(person.username);
    await query(cluster.databaseUrl, `UPDATE instance_bans SET until = now() WHERE user_id = $1`, [person.id]);
    await query(cluster.databaseUrl, `UPDATE users SET suspended_until = now() WHERE id = $1`, [person.id]);
    await withRows(cluster.databaseUrl, (rows) => endSuspensions.step(rows));
    for (const node of cluster.nodes)
      await until(async () => (await person.on(node).get('/api/auth/me')).status === 200);
    expect((await request(at(0), 'POST', '/api/auth/login', { email, password: 'correct horse' })).status).to.equal(
      200,
    );
  });

  it('keep the banned from a new account with their mailbox, in any spelling and by any way', async () => {
    const mailbox = `b${Math.random().toString(36).slice(2)}`;
    const email = `${mailbox}@gmail.com`;
    const other = `${mailbox}+again@googlemail.com`;
    const code = async (address: string) => {
      await request(at(0), 'POST', '/api/auth/email/start', { email: address });
      const mail = await until(async () => (await folder.mails()).findLast(({ to }) => to?.[0]?.address === address));
      return codeIn(mail);
    };
    const made = await request(at(0), 'POST', '/api/auth/email/verify', { email, code: await code(email) });
    const { id } = made.body.user;
    expect((await operator.post('/api/operator/bans', { userId: id })).status).to.equal(201);
    await query(cluster.databaseUrl, 'UPDATE users SET email = NULL WHERE id = $1', [id]);
    const unproven = await request(at(1), 'POST', '/api/auth/register', { email: other, password: 'battery staple' });
    expect([unproven.status, unproven.body.code]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED']);
    const signIn = { email: other, password: 'battery staple' };
    expect((await request(at(0), 'POST', '/api/auth/login', signIn)).body.code).to.equal('EMAIL_NOT_VERIFIED');
    const third = `${mailbox}+3@gmail.com`;
    const proven = await request(at(1), 'POST', '/api/auth/email/verify', { email: third, code: await code(third) });
    expect([proven.status, proven.body.code]).to.deep.equal([403, 'ACCOUNT_SUSPENDED']);
    expect((await operator.delete(`/api/operator/bans/${id}`)).status).to.equal(200);
    expect((await request(at(0), 'POST', '/api/auth/login', signIn)).status).to.equal(200);
  });

  it('ban no operator, and no bot', async () => {
    const colleague = await register(at(0));
    await command('grant-operator', colleague.username);
    for (const userId of [colleague.id, operator.id])
      expect((await operator.post('/api/operator/bans', { userId })).body.code).to.equal('FORBIDDEN');
    expect(await command('ban', colleague.username)).to.contain('operator');
    await command('revoke-operator', colleague.username);
    expect(await command('ban', colleague.username, '--reason', 'Spam')).to.contain('is banned');
    expect((await colleague.get('/api/auth/me')).body.reason).to.equal('Spam');
    expect(await command('unban', colleague.username)).to.contain('no longer banned');
    await until(async () => (await colleague.get('/api/auth/me')).status === 200);
  });

  it('find people, and suspend them for a time', async () => {
    const person = await register(at(0));
    const found: Loose[] = (await operator.get(`/api/operator/users?search=${person.username}`)).body;
    expect(found.map(({ id, suspended }) => [id, suspended])).to.deep.equal([[person.id, false]]);
    const path = `/api/operator/users/${person.id}/suspension`;
    expect((await operator.put(path, { until: '2020-01-01T00:00:00.000Z' })).body.code).to.equal('VALIDATION_FAILED');
    expect((await operator.put(path, { reason: 'Calm down' })).status).to.equal(200);
    expect((await person.get('/api/auth/me')).body.code).to.equal('ACCOUNT_SUSPENDED');
    expect((await operator.delete(path)).status).to.equal(200);
    expect((await person.get('/api/auth/me')).status).to.equal(200);
  });
});

describe('bans by address', () => {
  it('keep out new accounts from where the banned one was used, and store only hashes', async () => {
    const cluster = await startCluster({ nodes: 2, settings: { trustProxy: 1, accounts: { banAddresses: true } } });
    try {
      const [one, two] = cluster.nodes;
      if (!one || !two) throw new Error('no nodes');
      const from = (ip: string) => ({ 'x-forwarded-for': ip });
      const sign = (ip: string) =>
        request(
          two,
          'POST',
          '/api/auth/register',
          { email: `${Math.random()}@example.com`, password: 'battery staple' },
          from(ip),
        );
      const banned = await register(one, {}, from('2001:db8:1:2::5'));
      const operator = await register(one, {}, from('203.0.113.9'));
      await query(cluster.databaseUrl, 'UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
      expect((await operator.post('/api/operator/bans', { userId: banned.id })).status).to.equal(201);
      const refused = await sign('2001:db8:1:2:ffff::1');
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'SIGN_UP_REFUSED']);
      expect((await sign('2001:db8:1:3::5')).status).to.equal(201);
      const kept = await query(cluster.databaseUrl, 'SELECT hash FROM banned_addresses');
      expect(JSON.stringify(kept)).not.to.contain('2001');
      await operator.delete(`/api/operator/bans/${banned.id}`);
      expect((await sign('2001:db8:1:2:ffff::1')).status).to.equal(201);
    } finally {
      await cluster.stop();
    }
  });
});
