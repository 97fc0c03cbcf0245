// nodes: own

import { expect } from 'chai';
import { Parley } from '../../src/client/index.ts';
import { allCalls } from '../../src/contract/calls.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { codeIn, dataFolder } from './mailbox.ts';

const folder = dataFolder();
const unknown = '01900000-0000-7000-8000-000000000000';

describe('what others must not do with a session', () => {
  let cluster: Cluster;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  /** Their last sign-in, password and code are so long ago. */
  const age = (person: Person, minutes: number) =>
    query(
      cluster.databaseUrl,
      `UPDATE sessions SET created_at = least(created_at, now() - $2 * interval '1 minute'),
         confirmed_at = least(confirmed_at, now() - $2 * interval '1 minute') WHERE user_id = $1`,
      [person.id, minutes],
    );
  const made = async (person: Person) => (await person.post('/api/tokens', { name: 'x' })).body;
  const confirm = (person: Person, body: object) => person.post('/api/auth/confirm', body);
  const emailOf = async (person: Person): Promise<string> => (await person.get('/api/auth/me')).body.email;

  before(async () => {
    cluster = await startCluster({ settings: { dataDir: folder.dataDir }, nodes: 2 });
  });
  after(() => cluster.stop());

  it('is declared for the calls that let others in, or that cannot be undone', () => {
    const confirmed = Object.values(allCalls).filter((call) => 'confirmed' in call && call.confirmed);
    expect(confirmed.map(({ method, path }) => `${method} ${path}`).sort()).to.deep.equal([
      'DELETE /api/auth/me',
      'DELETE /api/auth/oauth/accounts/:accountId',
      'DELETE /api/auth/passkeys/:id',
      'DELETE /api/auth/totp',
      'DELETE /api/operator/bans/:id',
      'DELETE /api/operator/jobs/:id',
      'DELETE /api/operator/users/:id/suspension',
      'DELETE /api/servers/:id',
      'GET /api/auth/me/export/download',
      'GET /api/auth/me/export/link',
      'GET /api/operator/audit',
      'GET /api/operator/bans',
      'GET /api/operator/jobs/dead',
      'GET /api/operator/reports',
      'GET /api/operator/reports/:id',
      'GET /api/operator/servers',
      'GET /api/operator/settings',
      'GET /api/operator/users',
      'PATCH /api/oauth/apps/:appId',
      'POST /api/agents/:id/rehearsals',
      'POST /api/agents/:id/token',
      'POST /api/agents/:id/webhook/secret',
      'POST /api/ai/tokens',
      'POST /api/auth/email-change/start',
      'POST /api/auth/me/export',
      'POST /api/auth/oauth/:provider/link',
      'POST /api/auth/passkeys/start',
      'POST /api/auth/recovery-codes',
      'POST /api/auth/totp',
      'POST /api/handovers',
      'POST /api/oauth/apps',
      'POST /api/oauth/apps/:appId/secret',
      'POST /api/operator/bans',
      'POST /api/operator/jobs/:id/retry',
      'POST /api/operator/jobs/retry',
      'POST /api/operator/reports/:id/decide',
      'POST /api/operator/trials/mail',
      'POST /api/operator/trials/push',
      'POST /api/operator/users/:id/password-reset',
      'POST /api/operator/users/:id/sign-out',
      'POST /api/tokens',
      'PUT /api/agents/:id/webhook',
      'PUT /api/auth/username',
      'PUT /api/operator/users/:id/suspension',
      'PUT /api/operator/users/:id/tier',
    ]);
  });

  it('takes a sign-in of the last quarter of an hour', async () => {
    const person = await register(at(0));
    await age(person, 14);
    expect(await made(person)).to.have.property('token');
    await age(person, 16);
    const auth = { authorization: `Bearer ${person.token}` };
    for (const call of Object.values(allCalls)) {
      if (!('confirmed' in call) || !call.confirmed) continue;
      const path = call.path.replace(/:provider/, 'corp').replace(/:\w+/g, unknown);
      const given = ['GET', 'DELETE'].includes(call.method) ? undefined : {};
      const { status, body } = await request(at(1), call.method, path, given, auth);
      expect([status, body.code], path).to.deep.equal([403, 'CONFIRMATION_REQUIRED']);
      expect(body.methods).to.deep.equal(['password', 'code']);
    }
    expect((await person.get('/api/servers')).status).to.equal(200);
  });

  it('goes on after the password, on every node, until that is old as well', async () => {
    const person = await register(at(0));
    await age(person, 16);
    const wrong = await confirm(person, { password: 'wrong horse' });
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'CURRENT_PASSWORD_WRONG']);
    expect((await made(person)).code).to.equal('CONFIRMATION_REQUIRED');
    const { status, body } = await confirm(person, { password: 'correct horse' });
    expect([status, body.ok]).to.deep.equal([200, true]);
    const minutes = (new Date(body.confirmedUntil).getTime() - Date.now()) / 60_000;
    expect(minutes).to.be.within(14, 16);
    expect(await made(person.on(at(1)))).to.have.property('token');
    await age(person, 16);
    expect((await made(person)).code).to.equal('CONFIRMATION_REQUIRED');
  });

  it('goes on after a mailed code, which works once', async () => {
    const person = await register(at(0));
    const email = await emailOf(person);
    await age(person, 16);
    await person.post('/api/auth/email/start', { email });
    const mail = await until(async () => (await folder.mails()).find(({ to }) => to?.[0]?.address === email));
    const code = codeIn(mail);
    const wrong = await confirm(person, { code: code === '111111' ? '222222' : '111111' });
    expect(wrong.body.code).to.equal('INVALID_VERIFICATION_CODE');
    const both = await Promise.all([confirm(person, { code }), confirm(person.on(at(1)), { code })]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expect(await made(person)).to.have.property('token');
  });

  it('is confirmed for one session alone', async () => {
    const person = await register(at(0));
    const signIn = { email: await emailOf(person), password: 'correct horse' };
    const other = await person.post('/api/auth/login', signIn);
    await age(person, 16);
    await confirm(person, { password: 'correct horse' });
    const headers = { authorization: `Bearer ${other.body.accessToken}` };
    expect((await person.post('/api/tokens', { name: 'x' }, headers)).body.code).to.equal('CONFIRMATION_REQUIRED');
  });

  it('is refused to programs, and to nonsense', async () => {
    const person = await register(at(0));
    const { token } = await made(person);
    const headers = { authorization: `Bearer ${token}` };
    const program = await person.post('/api/auth/confirm', { password: 'correct horse' }, headers);
    expect([program.status, program.body.code]).to.deep.equal([403, 'INSUFFICIENT_PAT_SCOPE']);
    for (const body of [{}, { password: 'a', code: '123456' }, { code: '12345' }, { password: '' }]) {
      expect((await confirm(person, body)).body.code).to.equal('VALIDATION_FAILED');
    }
  });

  it('sets a first password only after a code', async () => {
    const person = await register(at(0));
    await query(cluster.databaseUrl, 'UPDATE users SET password_hash = NULL WHERE id = $1', [person.id]);
    await age(person, 16);
    const refused = await person.put('/api/auth/password', { newPassword: 'battery staple' });
    expect(refused.body).to.deep.include({ code: 'CONFIRMATION_REQUIRED', methods: ['code'] });
    expect((await confirm(person, { password: 'correct horse' })).body.code).to.equal('CURRENT_PASSWORD_WRONG');
  });

  it('is asked in place by the typed client, which then goes on', async () => {
    const person = await register(at(0));
    const email = await emailOf(person);
    const asked: string[][] = [];
    let isWilling = false;
    const client: Parley = new Parley({
      url: at(0).url,
      async confirm(methods) {
        asked.push([...methods]);
        if (isWilling) await client.rest('POST /api/auth/confirm', { body: { password: 'correct horse' } });
        return isWilling;
      },
    });
    await client.signIn({ email, password: 'correct horse' });
    await age(person, 16);
    const refused = await client.rest('POST /api/tokens', { body: { name: 'x' } }).catch((error) => error);
    expect(refused.code).to.equal('CONFIRMATION_REQUIRED');
    isWilling = true;
    expect(await client.rest('POST /api/tokens', { body: { name: 'x' } })).to.have.property('token');
    expect(asked).to.deep.equal([
      ['password', 'code'],
      ['password', 'code'],
    ]);
  });
});
