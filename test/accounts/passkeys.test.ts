// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { Authenticator } from './authenticator.ts';
import { codeOf, complete, login, password, proven, withApp } from './factors.ts';
import { dataFolder } from './mailbox.ts';

const site = 'https://chat.example.test';
const folder = dataFolder();

describe('passkeys', () => {
  let cluster: Cluster;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const post = (path: string, body: object = {}, i = 0) => request(at(i), 'POST', `/api/auth/${path}`, body);
  const add = async (person: Person, device: Authenticator, name = 'Laptop') => {
    const options = (await person.post('/api/auth/passkeys/start')).body;
    return person.on(at(1)).post('/api/auth/passkeys', { name, passkey: device.create(options) });
  };
  const signIn = async (device: Authenticator, i = 0) => {
    const options = (await post('passkeys/sign-in/start', {}, i)).body;
    return post('passkeys/sign-in', { passkey: device.get(options) }, i + 1);
  };
  const someone = async () => {
    const person = await proven(cluster, at(0));
    const device = new Authenticator(site);
    const { status, body } = await add(person, device);
    expect(status, JSON.stringify(body)).to.equal(201);
    return { person, device, passkey: body };
  };

  before(async () => {
    const settings = { publicUrl: site, dataDir: folder.dataDir, accounts: { secondFactor: { passkeys: 3 } } };
    cluster = await startCluster({ settings, nodes: 2 });
  });
  after(() => cluster.stop());

  it('are added, listed, renamed and removed', async () => {
    const { person, passkey } = await someone();
    expect(passkey.recoveryCodes).to.have.lengthOf(10);
    const second = new Authenticator(site);
    expect((await add(person, second, 'Phone')).body.recoveryCodes).to.equal(null);
    const renamed = await person.patch(`/api/auth/passkeys/${passkey.id}`, { name: 'Old laptop' });
    expect([renamed.status, renamed.body.name]).to.deep.equal([200, 'Old laptop']);
    const listed = async () => (await person.get('/api/auth/second-factor')).body.passkeys;
    expect((await listed()).map(({ name }: { name: string }) => name)).to.deep.equal(['Old laptop', 'Phone']);
    expect((await signIn(second)).status).to.equal(200);
    expect((await listed()).map(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt !== null)).to.deep.equal([
      false,
      true,
    ]);
    const stranger = await proven(cluster, at(0));
    expect((await stranger.delete(`/api/auth/passkeys/${passkey.id}`)).body.code).to.equal('PASSKEY_NOT_FOUND');
    for (const { id } of await listed()) expect((await person.delete(`/api/auth/passkeys/${id}`)).status).to.equal(200);
    expect((await person.get('/api/auth/me')).body.secondFactor).to.equal('none');
    expect((await signIn(second)).body.code).to.equal('PASSKEY_INVALID');
  });

  it('are so many and no more', async () => {
    const { person } = await someone();
    await add(person, new Authenticator(site));
    const [third, fourth] = [new Authenticator(site), new Authenticator(site)];
    const options = [
      (await person.post('/api/auth/passkeys/start')).body,
      (await person.post('/api/auth/passkeys/start')).body,
    ];
    const answers = await Promise.all(
      [third, fourth].map((device, i) =>
        person.on(at(i)).post('/api/auth/passkeys', { name: 'x', passkey: device.create(options[i]) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    expect((await person.post('/api/auth/passkeys/start')).body.code).to.equal('PASSKEY_LIMIT');
  });

  it('sign in without a name or a password, on any node', async () => {
    const { person, device } = await someone();
    const { status, body } = await signIn(device);
    expect([status, body.user.id, body.user.secondFactor]).to.deep.equal([200, person.id, 'active']);
    await query(cluster.databaseUrl, 'UPDATE users SET suspended_at = now() WHERE id = $1', [person.id]);
    expect((await signIn(device)).body.code).to.equal('ACCOUNT_SUSPENDED');
  });

  it('complete a sign-in, also where they do not verify their user; alone they must', async () => {
    const { person, device } = await someone();
    device.verifiesUser = false;
    expect((await signIn(device)).body.code).to.equal('PASSKEY_INVALID');
    const refused = await login(at(0), person.email);
    expect(refused.body).to.deep.include({ code: 'SECOND_FACTOR_REQUIRED', methods: ['passkey', 'recovery'] });
    const { ticket } = refused.body;
    const options = (await post('second-factor/passkey', { ticket }, 1)).body;
    expect(options.allowCredentials).to.have.lengthOf(1);
    const passkey = device.get(options);
    expect((await complete(at(0), ticket, { passkey })).body.user.id).to.equal(person.id);
    expect((await post('second-factor/passkey', { ticket })).body.code).to.equal('SIGN_IN_TICKET_INVALID');
  });

  it('answer a challenge once, for what it was made for, from this site', async () => {
    const { person, device } = await someone();
    const options = (await post('passkeys/sign-in/start')).body;
    const passkey = device.get(options);
    const both = await Promise.all([0, 1].map((i) => post('passkeys/sign-in', { passkey }, i)));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const { ticket } = (await login(at(0), person.email)).body;
    const forTicket = (await post('second-factor/passkey', { ticket })).body;
    expect((await post('passkeys/sign-in', { passkey: device.get(forTicket) })).body.code).to.equal('PASSKEY_INVALID');
    const elsewhere = new Authenticator('https://chat.example.test.evil.example');
    await query(cluster.databaseUrl, 'DELETE FROM passkeys WHERE user_id = $1', [person.id]);
    const forged = elsewhere.create((await person.post('/api/auth/passkeys/start')).body);
    const added = await person.post('/api/auth/passkeys', { name: 'x', passkey: forged });
    expect([added.status, added.body.code]).to.deep.equal([400, 'PASSKEY_INVALID']);
    const late = (await post('passkeys/sign-in/start')).body;
    await query(cluster.databaseUrl, `UPDATE passkey_challenges SET expires_at = now() - interval '1 second'`);
    expect((await post('passkeys/sign-in', { passkey: device.get(late) })).body.code).to.equal('PASSKEY_INVALID');
  });

  it('are no use for somebody else’s account', async () => {
    const [mine, theirs] = [await someone(), await someone()];
    const { ticket } = (await login(at(0), theirs.person.email)).body;
    const options = (await post('second-factor/passkey', { ticket })).body;
    const answer = await complete(at(0), ticket, { passkey: mine.device.get(options) });
    expect([answer.status, answer.body.code]).to.deep.equal([400, 'PASSKEY_INVALID']);
    const asked = (await theirs.person.post('/api/auth/confirm/passkey')).body;
    const confirmed = await theirs.person.post('/api/auth/confirm', { passkey: mine.device.get(asked) });
    expect(confirmed.body.code).to.equal('PASSKEY_INVALID');
  });

  it('that count back are refused: they may be copies', async () => {
    const { device } = await someone();
    device.counter = 5;
    expect((await signIn(device)).status).to.equal(200);
    device.counter = 5;
    expect((await signIn(device)).body.code).to.equal('PASSKEY_INVALID');
    device.counter = null;
    expect((await signIn(device)).body.code).to.equal('PASSKEY_INVALID');
    device.counter = 7;
    expect((await signIn(device)).status).to.equal(200);
  });

  it('confirm a session', async () => {
    const { person, device } = await someone();
    await query(
      cluster.databaseUrl,
      `UPDATE sessions SET confirmed_at = now() - interval '1 hour' WHERE user_id = $1`,
      [person.id],
    );
    const refused = await person.post('/api/auth/recovery-codes');
    expect(refused.body).to.deep.include({ code: 'CONFIRMATION_REQUIRED', methods: ['passkey', 'recovery'] });
    const options = (await person.post('/api/auth/confirm/passkey')).body;
    const confirmed = await person.on(at(1)).post('/api/auth/confirm', { passkey: device.get(options) });
    expect(confirmed.status, JSON.stringify(confirmed.body)).to.equal(200);
    expect((await person.post('/api/auth/recovery-codes')).body.recoveryCodes).to.have.lengthOf(10);
  });

  it('stay where the password and all tokens end, and are counted there', async () => {
    const { person, device } = await someone();
    const change = { oldPassword: password, newPassword: 'of the owner', endTokens: true };
    expect((await person.put('/api/auth/password', change)).body.remaining).to.include({ passkeys: 1 });
    expect((await signIn(device)).status).to.equal(200);
  });

  it('leave the second factor in force while there is an app beside them', async () => {
    const { person, passkey } = await someone();
    const { secret } = await withApp(cluster, person);
    expect((await person.delete(`/api/auth/passkeys/${passkey.id}`)).status).to.equal(200);
    const { body } = await login(at(0), person.email);
    expect(body.methods).to.deep.equal(['totp', 'recovery']);
    expect((await complete(at(0), body.ticket, { totp: codeOf(secret) })).status).to.equal(200);
  });

  it('take nonsense for what it is', async () => {
    const passkey = new Authenticator(site);
    passkey.create((await (await proven(cluster, at(0))).post('/api/auth/passkeys/start')).body);
    const answer = passkey.get((await post('passkeys/sign-in/start')).body);
    expect((await post('passkeys/sign-in', { passkey: answer })).body.code).to.equal('PASSKEY_INVALID');
    const broken = { ...answer, response: { ...answer.response, clientDataJSON: 'bm8ganNvbg' } };
    expect((await post('passkeys/sign-in', { passkey: broken })).body.code).to.equal('PASSKEY_INVALID');
    expect((await post('passkeys/sign-in', { passkey: {} })).body.code).to.equal('VALIDATION_FAILED');
  });
});
