// nodes: own

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Email } from 'postal-mime';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { codeIn, isNotice, type MailServer, startMailServer, tokenIn } from './mailbox.ts';

const password = 'correct horse';
const noticeSeconds = 4;
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1';
const from = (address: string, agent = firefox) => ({ 'x-forwarded-for': address, 'user-agent': agent });
const home = from('203.0.113.7');

describe('what an account’s owner is mailed', () => {
  let server: MailServer;
  let cluster: Cluster;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const mailsTo = (to: string) => server.mails.filter((mail) => mail.to?.[0]?.address === to);
  const noticesTo = (to: string) => mailsTo(to).filter(isNotice);
  /** What the mails to an address say, once they say this. */
  const saying = (to: string, what: RegExp): Promise<Email> =>
    until(() => noticesTo(to).find(({ text = '' }) => what.test(text)), { message: `no mail says ${what}` });
  const prove = (email: string) =>
    query(cluster.databaseUrl, 'UPDATE users SET email_verified_at = now() WHERE email = $1', [email]);
  /** Someone who has proven their address, at home. */
  const proven = async () => {
    const email = `p${randomBytes(6).toString('hex')}@example.com`;
    const person = await register(at(0), { email }, home);
    await prove(email);
    return { person, email };
  };
  const signIn = async (email: string, headers: Record<string, string>, i = 1) => {
    const { status, body } = await request(at(i), 'POST', '/api/auth/login', { email, password }, headers);
    expect(status).to.equal(200);
    const { accessToken: token, refreshToken, user } = body;
    return new Person(at(i), { id: user.id, username: user.username, token, refreshToken });
  };
  /** Notices that are not mailed, by kind. */
  const waiting = (email: string) =>
    query<{ kind: string }>(
      cluster.databaseUrl,
      'SELECT kind FROM security_notices WHERE email = $1 AND mailed_at IS NULL ORDER BY created_at',
      [email],
    );
  const allOf = (email: string) =>
    query<{ kind: string }>(cluster.databaseUrl, 'SELECT kind FROM security_notices WHERE email = $1 ORDER BY id', [
      email,
    ]);

  before(async () => {
    server = await startMailServer();
    const mail = { retryMs: 20, noticeSeconds };
    cluster = await startCluster({ nodes: 2, settings: { smtpUrl: server.url, trustProxy: 1, mail } });
  });
  after(async () => {
    await cluster.stop();
    await server.stop();
  });

  it('is a sign-in from a device or a place that is new: when, with what and from where', async () => {
    const { person, email } = await proven();
    await signIn(email, home);
    await signIn(email, from('203.0.113.99'));
    expect(await allOf(email)).to.deep.equal([]);
    await signIn(email, { ...from('198.51.100.20', safari), 'x-device-name': 'See http://evil.example' });
    const mail = await saying(email, /Somebody signed in/);
    expect(mail.subject).to.equal(`A new sign-in to your account ${person.username}`);
    expect(mail.text).to.match(/\(\d{4}-\d\d-\d\d \d\d:\d\d UTC, Safari on iPhone, addresses 198\.51\.100\.0\/24\)/);
    expect(mail.text).to.contain('/app/settings/account').and.not.contain('evil').and.not.contain('198.51.100.20');
    expect(mail.html).to.contain('198.51.100.0/24').and.contain('Secure the account');
    await signIn(email, from('198.51.100.21', safari), 0);
    await signIn(email, from('2001:db8:1::5', safari));
    await signIn(email, from('2001:db8:1:9::6', safari));
    expect(await allOf(email)).to.deep.equal([{ kind: 'sign-in' }, { kind: 'sign-in' }]);
  });

  it('is not the sign-in that made the account, in whichever way, nor one where the address is not proven', async () => {
    const email = `p${randomBytes(6).toString('hex')}@example.com`;
    await request(at(0), 'POST', '/api/auth/email/start', { email });
    const code = codeIn(await until(() => mailsTo(email)[0]));
    expect((await request(at(1), 'POST', '/api/auth/email/verify', { email, code }, home)).status).to.equal(200);
    const unproven = `p${randomBytes(6).toString('hex')}@example.com`;
    await register(at(0), { email: unproven }, home);
    await signIn(unproven, from('198.51.100.20'));
    expect([await allOf(email), await allOf(unproven)]).to.deep.equal([[], []]);
  });

  it('is no sign-in from where a session of an earlier version is in use', async () => {
    const { person, email } = await proven();
    await query(cluster.databaseUrl, 'DELETE FROM known_devices WHERE user_id = $1', [person.id]);
    await signIn(email, home);
    expect(await allOf(email)).to.deep.equal([]);
  });

  it('is a sign-in with a kind of device whose session the owner has ended', async () => {
    const { person, email } = await proven();
    const thief = await signIn(email, from('198.51.100.20', safari));
    const sessions = (await thief.get('/api/auth/sessions')).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    expect((await person.delete(`/api/auth/sessions/${id}`)).status).to.equal(200);
    await signIn(email, from('198.51.100.20', safari));
    expect(await allOf(email)).to.have.lengthOf(2);
  });

  it('is each change of what lets someone in', async () => {
    const { person, email } = await proven();
    const next = `n${randomBytes(6).toString('hex')}`;
    await person.put('/api/auth/password', { oldPassword: password, newPassword: 'of a better kind' }, home);
    await person.post('/api/tokens', { name: 'For {{scripts}} & <b>' }, home);
    await person.put('/api/auth/username', { username: next }, home);
    const mail = await saying(email, /username was changed/);
    expect(mail.subject).to.equal(`What lets someone into your account ${next} has changed`);
    const origin = ', Firefox on Linux, addresses 203.0.113.0/24)';
    for (const sentence of [
      'The password was changed.',
      'A personal access token was made: For {{scripts}} & <b>.',
      `The username was changed to ${next}.`,
    ]) {
      const mails = noticesTo(email).filter(({ text = '' }) => text.replace(/\s+/g, ' ').includes(sentence));
      expect(mails, sentence).to.have.lengthOf(1);
      expect(mails[0]?.text).to.contain(origin);
    }
    // On a slow machine it is in a mail before that one.
    expect((await saying(email, /token was made/)).html).to.contain('For {{scripts}} &amp; &lt;b&gt;');
    await request(at(0), 'POST', '/api/auth/password-reset/start', { email });
    const token = tokenIn(await until(() => mailsTo(email).find((one) => tokenIn(one) !== '')));
    const reset = { token, newPassword: 'of the best kind' };
    const device = from('198.51.100.3', safari);
    expect((await request(at(1), 'POST', '/api/auth/password-reset/complete', reset, device)).status).to.equal(200);
    const last = await saying(email, /iPhone/);
    expect(last.text).to.contain('The password was changed.').and.not.contain('token was made');
  });

  it('comes in few mails, however much happens, and nothing is left out', async () => {
    const { person, email } = await proven();
    const names = Array.from({ length: 24 }, (_, i) => `token-${i}-end`);
    const make = (name: string, i: number) => person.on(at(i)).post('/api/tokens', { name }, home);
    const begun = performance.now();
    await Promise.all(names.slice(0, 8).map(make));
    await saying(email, /token-0-end/);
    for (const [i, name] of names.entries()) if (i >= 8) await make(name, i);
    const seconds = (performance.now() - begun) / 1000;
    await until(async () => (await waiting(email)).length === 0, { timeout: 20_000 });
    const mails = await until(() => (noticesTo(email).length >= 2 ? noticesTo(email) : null));
    // One in four seconds: the first comes after two, the last at most four after what is in it. What comes in the very
    // moment of a mail has one of its own.
    expect(mails.length).to.be.at.most(2 + (seconds + 2) / noticeSeconds);
    const all = mails.map(({ text = '' }) => text).join();
    for (const name of names) expect(all.split(name), name).to.have.lengthOf(2);
  });

  it('is bounded where nothing can be mailed', async () => {
    const { person, email } = await proven();
    await query(
      cluster.databaseUrl,
      `INSERT INTO security_notices (id, user_id, email, kind, created_at, mail_at)
       SELECT gen_random_uuid(), $1, $2, 'token-made', now(), now() + interval '1 hour' FROM generate_series(1, 49)`,
      [person.id, email],
    );
    for (let i = 0; i < 3; i++) expect((await person.post('/api/tokens', { name: 'x' }, home)).status).to.equal(201);
    expect(await waiting(email)).to.have.lengthOf(50);
  });

  it('goes to the address of that time, also where it is another by the time of the mail', async () => {
    const { person, email } = await proven();
    await person.post('/api/tokens', { name: 'first' }, home);
    await saying(email, /first/);
    // This one waits for the next mail.
    await person.post('/api/tokens', { name: 'by a thief' }, home);
    const other = `p${randomBytes(6).toString('hex')}@example.com`;
    await query(cluster.databaseUrl, 'UPDATE users SET email = $2 WHERE id = $1', [person.id, other]);
    await person.post('/api/tokens', { name: 'later' }, home);
    await saying(email, /by a thief/);
    await saying(other, /later/);
    expect(noticesTo(other).some(({ text }) => text?.includes('thief'))).to.equal(false);
    expect(noticesTo(email).some(({ text }) => text?.includes('later'))).to.equal(false);
  });
});
