// nodes: own

import { expect } from 'chai';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { overtaken, query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import { codeOf, complete, forgetCodes, login, password, proven, withApp } from './factors.ts';
import { clientId, clientSecret, startProvider, type TestProvider } from './identity-provider.ts';
import { codeIn, dataFolder, tokenIn } from './mailbox.ts';

const site = 'https://chat.example.test';
const folder = dataFolder();

describe('a second factor', () => {
  let cluster: Cluster;
  let provider: TestProvider;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const ticketOf = async (email: string, i = 0): Promise<string> => {
    const { status, body } = await login(at(i), email);
    expect([status, body.code]).to.deep.equal([403, 'SECOND_FACTOR_REQUIRED']);
    expect(body).to.not.have.any.keys('accessToken', 'refreshToken', 'user');
    return body.ticket;
  };
  const mailTo = (to: string, subject: RegExp) =>
    until(async () =>
      (await folder.mails()).findLast((mail) => mail.to?.[0]?.address === to && subject.test(mail.subject ?? '')),
    );

  before(async () => {
    provider = await startProvider([`${site}/api/auth/oauth/corp/callback`]);
    const corp = { name: 'corp', kind: 'openid', issuer: provider.issuer, clientId, clientSecret } as const;
    const settings = { publicUrl: site, dataDir: folder.dataDir, oauthProviders: [corp] };
    cluster = await startCluster({ settings, nodes: 2 });
  });
  after(() => cluster.stop());

  it('is for accounts whose address is theirs', async () => {
    const person = await register(at(0));
    const { status, body } = await person.post('/api/auth/totp');
    expect([status, body.code]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED']);
  });

  it('is asked of a confirmation that began before it was in force', async () => {
    const person = await proven(cluster, at(0));
    const added = {
      lock: 'SELECT FROM users WHERE id = $1 FOR UPDATE',
      change: 'UPDATE users SET second_factor_at = now() WHERE id = $1',
      id: person.id,
    };
    const confirm = () => person.post('/api/auth/confirm', { password });
    const { status, body } = await overtaken(cluster.databaseUrl, added, confirm);
    expect([status, body.code]).to.deep.equal([403, 'SECOND_FACTOR_REQUIRED']);
  });

  it('is in force once a code of the app was given, and not before', async () => {
    const person = await proven(cluster, at(0));
    const { secret, uri } = (await person.post('/api/auth/totp')).body;
    expect(uri).to.match(/^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/);
    expect(decodeURIComponent(uri)).to.contain(person.email).and.contain('chat.example.test');
    expect((await login(at(0), person.email)).status).to.equal(200);
    const wrong = await person.post('/api/auth/totp/complete', { totp: codeOf(secret, 7) });
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'SECOND_FACTOR_INVALID']);
    const { body } = await person.on(at(1)).post('/api/auth/totp/complete', { totp: codeOf(secret) });
    expect(body.recoveryCodes).to.have.lengthOf(10);
    expect(new Set(body.recoveryCodes).size).to.equal(10);
    expect((await person.get('/api/auth/me')).body.secondFactor).to.equal('active');
    expect((await person.post('/api/auth/totp')).body.code).to.equal('TOTP_ACTIVE');
    const overview = (await person.get('/api/auth/second-factor')).body;
    expect(overview).to.deep.include({ required: false, passkeys: [], recoveryCodes: 10 });
    const rows = await query(cluster.databaseUrl, 'SELECT * FROM totp_factors WHERE user_id = $1', [person.id]);
    expect(JSON.stringify(rows)).to.not.contain(secret);
    await ticketOf(person.email, 1);
  });

  it('completes a sign-in on any node, with a code that is taken once', async () => {
    const person = await proven(cluster, at(0));
    const { secret } = await withApp(cluster, person);
    const refused = await login(at(0), person.email);
    expect(refused.body).to.deep.include({ methods: ['totp', 'recovery'], expiresIn: 300 });
    const { ticket } = refused.body;
    const bearer = { authorization: `Bearer ${ticket}` };
    expect((await request(at(0), 'GET', '/api/auth/me', undefined, bearer)).status).to.equal(401);
    const totp = codeOf(secret);
    const others = [await ticketOf(person.email), await ticketOf(person.email, 1)];
    const answers = await Promise.all(others.map((one, i) => complete(at(i), one, { totp })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const signedIn = answers.find(({ status }) => status === 200)?.body;
    expect(signedIn.user).to.include({ id: person.id, secondFactor: 'active' });
    const session = new Person(at(1), { ...person, token: signedIn.accessToken, refreshToken: '' });
    expect((await session.get('/api/auth/me')).status).to.equal(200);
    // The next code is good already, the one before the last no more; and a ticket signs in once.
    expect((await complete(at(1), ticket, { totp: codeOf(secret, -2) })).body.code).to.equal('SECOND_FACTOR_INVALID');
    expect((await complete(at(1), ticket, { totp: codeOf(secret, 1) })).status).to.equal(200);
    await forgetCodes(cluster, person);
    expect((await complete(at(0), ticket, { totp })).body.code).to.equal('SIGN_IN_TICKET_INVALID');
  });

  it('is asked for by every way of signing in, and by none gone round', async () => {
    const person = await proven(cluster, at(0));
    const { email } = person;
    const { secret } = await withApp(cluster, person);
    await request(at(0), 'POST', '/api/auth/email/start', { email });
    const code = codeIn(await mailTo(email, /code|sign/i));
    const byCode = await request(at(1), 'POST', '/api/auth/email/verify', { email, code });
    expect([byCode.status, byCode.body.code]).to.deep.equal([403, 'SECOND_FACTOR_REQUIRED']);
    await request(at(0), 'POST', '/api/auth/password-reset/start', { email });
    const token = tokenIn(await mailTo(email, /password/i));
    const reset = { token, newPassword: password, endTokens: true };
    expect((await request(at(1), 'POST', '/api/auth/password-reset/complete', reset)).status).to.equal(200);
    // What was begun before the reset is over.
    const begun = await complete(at(0), byCode.body.ticket, { totp: codeOf(secret) });
    expect(begun.body.code).to.equal('SIGN_IN_TICKET_INVALID');
    provider.accounts.set('person', { email, email_verified: true, name: 'Person' });
    provider.user = 'person';
    const browser = new Browser({ [site]: at(0).url });
    const end = await browser.follow(`${site}/api/auth/oauth/corp?redirect=/app/friends`, (url) =>
      url.pathname.startsWith('/app/'),
    );
    const given = Object.fromEntries(new URLSearchParams(end.hash.slice(1)));
    expect(given).to.have.all.keys('ticket', 'methods', 'redirect');
    expect([given.methods, given.redirect]).to.deep.equal(['totp,recovery', '/app/friends']);
    expect((await complete(at(1), given.ticket ?? '', { totp: codeOf(secret) })).body.user.id).to.equal(person.id);
  });

  it('is replaced by a recovery code, each once, until they are made anew', async () => {
    const person = await proven(cluster, at(0));
    const { secret, codes } = await withApp(cluster, person);
    const [first = '', second = ''] = codes;
    const typed = first.toUpperCase().replaceAll('-', ' ');
    const tickets = [await ticketOf(person.email), await ticketOf(person.email, 1)];
    const answers = await Promise.all(tickets.map((ticket, i) => complete(at(i), ticket, { recoveryCode: typed })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expect((await person.get('/api/auth/second-factor')).body.recoveryCodes).to.equal(9);
    const renewed = (await person.post('/api/auth/recovery-codes')).body.recoveryCodes;
    expect(renewed).to.have.lengthOf(10);
    const ticket = await ticketOf(person.email);
    expect((await complete(at(0), ticket, { recoveryCode: second })).body.code).to.equal('SECOND_FACTOR_INVALID');
    expect((await complete(at(0), ticket, { recoveryCode: renewed[3] })).status).to.equal(200);
    expect((await complete(at(0), await ticketOf(person.email), { totp: codeOf(secret) })).status).to.equal(200);
  });

  it('may be tried five times, then the sign-in begins again', async () => {
    const person = await proven(cluster, at(0));
    const { secret } = await withApp(cluster, person);
    const ticket = await ticketOf(person.email);
    const wrong = { totp: codeOf(secret, 9) };
    const tries = await Promise.all([0, 1, 2, 3, 4].map((i) => complete(at(i), ticket, wrong)));
    expect(tries.map(({ body }) => body.code)).to.deep.equal(Array(5).fill('SECOND_FACTOR_INVALID'));
    expect((await complete(at(0), ticket, { totp: codeOf(secret) })).body.code).to.equal('SIGN_IN_TICKET_INVALID');
    const late = await ticketOf(person.email);
    const over = `UPDATE sign_in_tickets SET expires_at = now() - interval '1 second' WHERE user_id = $1`;
    await query(cluster.databaseUrl, over, [person.id]);
    expect((await complete(at(0), late, { totp: codeOf(secret) })).body.code).to.equal('SIGN_IN_TICKET_INVALID');
    for (const proof of [{}, { totp: '123456', recoveryCode: 'x' }, { totp: '12345' }])
      expect((await complete(at(0), ticket, proof)).body.code).to.equal('VALIDATION_FAILED');
  });

  it('confirms a session, where a password does no more', async () => {
    const person = await proven(cluster, at(0));
    const other = await login(at(1), person.email);
    const elsewhere = new Person(at(1), { ...person, token: other.body.accessToken, refreshToken: '' });
    const { secret, codes } = await withApp(cluster, person);
    // The session that set it up has given it; one that knew but the password has not.
    expect((await person.post('/api/tokens', { name: 'x' })).status).to.equal(201);
    const refused = await elsewhere.delete('/api/auth/totp');
    expect(refused.body).to.deep.include({ code: 'CONFIRMATION_REQUIRED', methods: ['totp', 'recovery'] });
    const byPassword = await elsewhere.post('/api/auth/confirm', { password });
    expect([byPassword.status, byPassword.body.code]).to.deep.equal([403, 'SECOND_FACTOR_REQUIRED']);
    const wrong = await elsewhere.post('/api/auth/confirm', { totp: codeOf(secret, 8) });
    expect(wrong.body.code).to.equal('SECOND_FACTOR_INVALID');
    expect((await elsewhere.post('/api/auth/confirm', { totp: codeOf(secret) })).status).to.equal(200);
    await query(
      cluster.databaseUrl,
      `UPDATE sessions SET confirmed_at = now() - interval '1 hour' WHERE user_id = $1`,
      [person.id],
    );
    expect((await elsewhere.post('/api/auth/confirm', { recoveryCode: codes[0] })).status).to.equal(200);
    expect((await elsewhere.delete('/api/auth/totp')).status).to.equal(200);
    expect((await person.get('/api/auth/me')).body.secondFactor).to.equal('none');
    expect((await person.get('/api/auth/second-factor')).body).to.deep.include({ totp: null, recoveryCodes: 0 });
    expect((await login(at(0), person.email)).status).to.equal(200);
    expect((await elsewhere.delete('/api/auth/totp')).body.code).to.equal('TOTP_NOT_FOUND');
  });

  it('is no matter of programs', async () => {
    const person = await proven(cluster, at(0));
    const { token } = (await person.post('/api/tokens', { name: 'x', scope: 'user:write' })).body;
    const headers = { authorization: `Bearer ${token}` };
    expect((await person.post('/api/auth/totp', {}, headers)).body.code).to.equal('INSUFFICIENT_PAT_SCOPE');
    expect((await person.get('/api/auth/second-factor', headers)).body.code).to.equal('INSUFFICIENT_PAT_SCOPE');
    await withApp(cluster, person);
    expect((await person.get('/api/auth/me', headers)).status).to.equal(200);
  });

  it('goes with a change of address that is undone, if it came shortly before; an older one stays', async () => {
    const people = [await proven(cluster, at(0)), await proven(cluster, at(0))] as const;
    for (const person of people) await withApp(cluster, person);
    const [recent, settled] = people;
    const old = `UPDATE totp_factors SET created_at = now() - interval '30 days' WHERE user_id = $1`;
    await query(cluster.databaseUrl, old, [settled.id]);
    for (const [person, expected] of [
      [recent, null],
      [settled, 'SECOND_FACTOR_REQUIRED'],
    ] as const) {
      const email = `moved-${person.email}`;
      await person.post('/api/auth/email-change/start', { email });
      const code = codeIn(await mailTo(email, /makes this/));
      expect((await person.post('/api/auth/email-change/complete', { code })).status).to.equal(200);
      const token = /undo-email\?token=([\w-]+)/.exec((await mailTo(person.email, /another address/)).text ?? '')?.[1];
      expect((await request(at(0), 'POST', '/api/auth/email-change/undo', { token })).status).to.equal(200);
      await request(at(0), 'POST', '/api/auth/email/start', { email: person.email });
      const signIn = { email: person.email, code: codeIn(await mailTo(person.email, /code|sign/i)) };
      const { body } = await request(at(0), 'POST', '/api/auth/email/verify', signIn);
      expect(body.code ?? null).to.equal(expected);
    }
  });
});

describe('tries of a second factor', () => {
  it('are limited for an account, whatever they try to complete', async () => {
    const rates = { factorFailures: { points: 3, seconds: 900 } };
    const cluster = await startCluster({ nodes: 1, settings: { rateLimits: true, rates } });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const person = await proven(cluster, node);
      const { secret } = await withApp(cluster, person);
      const wrong = { totp: codeOf(secret, 9) };
      const ticket = async () => (await login(node, person.email)).body.ticket;
      for (let i = 0; i < 2; i++) await complete(node, await ticket(), wrong);
      expect((await complete(node, await ticket(), { totp: codeOf(secret) })).status).to.equal(200);
      expect((await person.post('/api/auth/confirm', wrong)).body.code).to.equal('SECOND_FACTOR_INVALID');
      const { status, body } = await complete(node, await ticket(), { totp: codeOf(secret, 1) });
      expect([status, body.code]).to.deep.equal([429, 'RATE_LIMITED']);
    } finally {
      await cluster.stop();
    }
  });
});
