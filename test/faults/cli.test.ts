// nodes: own

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createLog } from '../../src/infrastructure/log.ts';
import { type Node, startNode } from '../../src/node/node.ts';
import { codeOf } from '../accounts/factors.ts';
import { atEnd } from '../rig/ending.ts';
import { until } from '../rig/until.ts';
import { testSettings } from '../world/nodes.ts';
import { parley as run } from '../world/operator.ts';
import { Person, request } from '../world/person.ts';

describe('the operator’s command line', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-cli-'));
  atEnd(() => rmSync(dataDir, { recursive: true, force: true }));
  let node: Node | undefined;
  const server = (): Node => {
    if (!node) throw new Error('The server is not running.');
    return node;
  };

  const parley = (args: string[], input = '') => run({ DATA_DIR: dataDir }, args, input);

  const login = async (email: string, password: string) =>
    request(server(), 'POST', '/api/auth/login', { email, password });

  after(() => node?.stop());

  it('works before the first start, on the embedded database', async () => {
    const made = await parley(
      ['create-user', '--email', 'Boss@example.com', '--username', 'boss', '--password-stdin'],
      'operator pass\n',
    );
    expect([made.code, made.complaint]).to.deep.equal([0, '']);
    expect(made.out).to.match(/^Made boss, id [\w-]{36}\.\n$/);
    const taken = await parley(['create-user', '--email', 'boss@example.com']);
    expect([taken.code, taken.out]).to.deep.equal([1, '']);
    expect(taken.complaint).to.contain('has an account already');
  });

  it('works beside the running server, which takes notice at once', async () => {
    const modelUpstream = { url: 'http://127.0.0.1:9/v1', key: null, models: ['small'] };
    const limited = { rateLimits: true, rates: { loginFailures: { points: 2, seconds: 900 } } };
    const place = { databaseUrl: null, dataDir, newAccountTier: 'visitor' };
    const settings = testSettings('', null, { ...place, ...limited, modelUpstream });
    node = await startNode(settings, createLog('silent'));
    const { status, body } = await login('boss', 'operator pass');
    expect([status, body.user.status]).to.deep.equal([200, 'member']);
    const { accessToken: token, refreshToken, user } = body;
    const person = new Person(node, { id: user.id, username: 'boss', token, refreshToken });
    const socket = await person.connect();
    const runtime = (await person.post('/api/ai/tokens', { runtimeId: 'r' })).body;
    const headers = { authorization: `Bearer ${runtime.token}` };
    const models = () => request(server(), 'GET', '/api/ai/v1/models', undefined, headers);
    expect((await models()).status).to.equal(200);

    const tier = await parley(['set-tier', '@BOSS', 'visitor']);
    expect([tier.code, tier.out]).to.deep.equal([0, '@BOSS is now: visitor.\n']);
    expect(await socket.next('membership:updated')).to.include({ status: 'visitor' });
    await until(async () => (await models()).status === 403);
    expect((await models()).body.error.code).to.equal('INVITE_REQUIRED');

    const ended = await parley(['revoke-sessions', 'boss@example.com']);
    expect(ended.out).to.equal('2 sessions, tokens and webhooks of boss@example.com ended.\n');
    await until(() => socket.socket.disconnected);
    expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
    expect((await person.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    await until(async () => (await models()).status === 401);
  });

  it('shuts someone out, with the reason, and lets them in again', async () => {
    const suspended = await parley(['suspend', 'boss', '--reason', 'Sold the shop.']);
    expect([suspended.code, suspended.out]).to.deep.equal([0, 'boss is suspended.\n']);
    const { status, body } = await login('boss', 'operator pass');
    expect([status, body.code, body.reason]).to.deep.equal([403, 'ACCOUNT_SUSPENDED', 'Sold the shop.']);
    expect(body.error).to.contain('Sold the shop.');
    expect((await parley(['list-users', '--search', 'boss'])).out).to.match(/ {2}verified {2}suspended\n$/);
    expect((await parley(['unsuspend', 'boss'])).out).to.equal('boss is no longer suspended.\n');
    expect((await parley(['unsuspend', 'boss'])).out).to.equal('boss was not suspended.\n');
    expect((await login('boss', 'operator pass')).status).to.equal(200);
    expect((await parley(['suspend', 'nobody'])).complaint).to.equal('There is no user "nobody".\n');
  });

  it('takes a second factor away from someone who has lost it', async () => {
    const { accessToken: token, refreshToken, user } = (await login('boss', 'operator pass')).body;
    const person = new Person(server(), { id: user.id, username: 'boss', token, refreshToken });
    const { secret } = (await person.post('/api/auth/totp')).body;
    await person.post('/api/auth/totp/complete', { totp: codeOf(secret) });
    expect((await login('boss', 'operator pass')).body.code).to.equal('SECOND_FACTOR_REQUIRED');
    const removed = await parley(['remove-second-factor', 'boss']);
    expect([removed.code, removed.out]).to.deep.equal([0, 'boss has no second factor any more.\n']);
    expect((await login('boss', 'operator pass')).body.user.secondFactor).to.equal('none');
    await until(async () => (await person.get('/api/auth/me')).body.code === 'SESSION_REVOKED');
    expect((await parley(['remove-second-factor', 'boss'])).out).to.equal('boss had no second factor.\n');
  });

  it('does not end a restore under a running server', async () => {
    const { code, out, complaint } = await parley(['after-restore']);
    expect([code, out]).to.deep.equal([1, '']);
    expect(complaint).to.equal('A server is running on this database: stop all nodes, and run this again.\n');
  });

  it('sets passwords, also for who failed too often, makes codes that work, and lists users', async () => {
    for (let i = 0; i < 2; i++) expect((await login('boss', 'forgotten')).status).to.equal(401);
    expect((await login('boss', 'operator pass')).status).to.equal(429);
    const reset = await parley(['reset-password', 'boss']);
    const password = /^Password: (\S+)$/m.exec(reset.out)?.[1] ?? '';
    expect((await login('boss', 'operator pass')).status).to.equal(401);
    expect((await login('boss', password)).status).to.equal(200);
    const codes = (await parley(['make-invites', '2', '--note', 'for friends'])).out.trim().split('\n');
    expect(codes).to.have.lengthOf(2);
    const account = { email: 'new@example.com', password: 'correct horse', inviteCode: codes[0] };
    expect((await request(server(), 'POST', '/api/auth/register', account)).body.user.status).to.equal('member');
    const listed = (await parley(['list-users', '--search', 'BOSS@'])).out;
    expect(listed).to.contain('boss@example.com').and.not.contain('new@example.com').and.not.contain('$argon2');
  });

  it('deletes an account: in a week, which signing in undoes, or at once', async () => {
    const account = { email: 'leaver@example.com', password: 'correct horse', username: 'leaver' };
    const { body } = await request(server(), 'POST', '/api/auth/register', account);
    const leaver = new Person(server(), {
      id: body.user.id,
      username: 'leaver',
      token: body.accessToken,
      refreshToken: '',
    });
    await parley(['set-tier', 'leaver', 'member']);
    await leaver.post('/api/servers', { name: 'Of the leaver' });
    const later = await parley(['delete', 'leaver']);
    expect([later.code, later.complaint]).to.deep.equal([0, '']);
    expect(later.out).to.match(/^leaver will be deleted on \S+\.\n {2}Of the leaver: deleted\n$/);
    // The command line reaches no Redis: the node polls.
    await until(async () => (await leaver.get('/api/auth/me')).body.code === 'SESSION_REVOKED');
    expect((await parley(['list-users', '--search', 'leaver'])).out).to.contain('deleted on ');
    expect((await login('leaver', 'correct horse')).body.restored).to.equal(true);
    const now = await parley(['delete', 'leaver', '--days', '0', '--erase-messages']);
    expect(now.out).to.contain('leaver is being deleted.');
    await until(async () => (await parley(['list-users', '--search', 'leaver'])).out === 'There are none.\n');
    expect((await login('leaver', 'correct horse')).status).to.equal(401);
    expect((await parley(['delete', 'leaver', '--days', 'x'])).code).to.equal(1);
  });

  it('tells who has given up a name', async () => {
    const account = { email: 'moved@example.com', password: 'correct horse', username: 'earlier' };
    const { accessToken } = (await request(server(), 'POST', '/api/auth/register', account)).body;
    const headers = { authorization: `Bearer ${accessToken}` };
    const renamed = await request(server(), 'PUT', '/api/auth/username', { username: 'later' }, headers);
    expect(renamed.status).to.equal(200);
    expect((await parley(['set-tier', 'later', 'member'])).out).to.equal('later is now: member.\n');
    const { code, complaint } = await parley(['set-tier', '@Earlier', 'member']);
    expect([code, complaint]).to.deep.equal([1, 'There is no user "@Earlier"; "later" was called that.\n']);
    expect((await parley(['create-user', '--email', 'x@example.com', '--username', 'earlier'])).complaint).to.contain(
      'taken',
    );
  });

  it('says in a sentence what it does not understand', async () => {
    const [help, flag, unknown, nobody, option] = await Promise.all([
      parley(['help']),
      parley(['set-tier', '--help']),
      parley(['destroy-world']),
      parley(['reset-password', 'nobody']),
      parley(['list-users', '--colour', 'red']),
    ]);
    expect([help.code, unknown.code, nobody.code, option.code]).to.deep.equal([0, 2, 1, 1]);
    expect(help.out).to.contain('create-user');
    expect([flag.code, flag.out]).to.deep.equal([0, help.out]);
    expect(nobody.complaint).to.equal('There is no user "nobody".\n');
    expect(option.complaint).to.contain("'--colour'").and.not.contain('\n    at ');
  });

  it('does nothing when it is told more than it would do', async () => {
    const [two, none] = await Promise.all([
      parley(['revoke-sessions', 'boss', 'nobody']),
      parley(['create-user', '--email', 'more@example.com', 'more']),
    ]);
    expect([two.code, two.out]).to.deep.equal([2, '']);
    expect(two.complaint).to.equal('"nobody" is one word too many for: revoke-sessions <user>\n');
    expect([none.code, none.out]).to.deep.equal([2, '']);
  });
});
