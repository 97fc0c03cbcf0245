// nodes: own

import { expect } from 'chai';
import type { Email } from 'postal-mime';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { codeIn, dataFolder, proveAddress } from './mailbox.ts';

const folder = dataFolder();
const linkIn = (mail: Email): string => /undo-email\?token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? '';

describe('another address for an account', () => {
  let cluster: Cluster;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const address = () => `c${Math.random().toString(36).slice(2)}@example.com`;
  const mailsTo = async (to: string) => (await folder.mails()).filter((mail) => mail.to?.[0]?.address === to);
  const mailTo = (to: string, subject: RegExp): Promise<Email> =>
    until(async () => (await mailsTo(to)).findLast((mail) => subject.test(mail.subject ?? '')) ?? null);
  const emailOf = async (person: Person): Promise<string> => (await person.get('/api/auth/me')).body.email;
  const start = (person: Person, email: string) => person.post('/api/auth/email-change/start', { email });
  const complete = (person: Person, code: string) => person.post('/api/auth/email-change/complete', { code });
  const undo = (token: string, i = 0) => request(at(i), 'POST', '/api/auth/email-change/undo', { token });
  const codeFor = async (email: string) => codeIn(await mailTo(email, /makes this/));
  /** Someone whose address is proven, moved to another. */
  const moved = async () => {
    const person = await register(at(0));
    const old = await emailOf(person);
    await proveAddress(person, folder, old);
    const email = address();
    await start(person, email);
    expect((await complete(person.on(at(1)), await codeFor(email))).status).to.equal(200);
    return { person, old, email, link: linkIn(await mailTo(old, /another address/)) };
  };

  before(async () => {
    cluster = await startCluster({ settings: { dataDir: folder.dataDir }, nodes: 2 });
  });
  after(() => cluster.stop());

  it('is theirs once the code from there is given, once, and counts as proven', async () => {
    const person = await register(at(0));
    const email = address();
    const started = await start(person, email.toUpperCase());
    expect([started.status, started.body.expiresIn]).to.deep.equal([200, 600]);
    const code = await codeFor(email);
    expect((await complete(person, code === '111111' ? '222222' : '111111')).body.code).to.equal(
      'INVALID_VERIFICATION_CODE',
    );
    expect(await emailOf(person)).not.to.equal(email);
    const answers = await Promise.all([complete(person, code), complete(person.on(at(1)), code)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    const me = (await person.get('/api/auth/me')).body;
    expect(me.email).to.equal(email);
    expect(me.emailVerifiedAt).to.be.a('string');
    const login = { email, password: 'correct horse' };
    expect((await request(at(1), 'POST', '/api/auth/login', login)).status).to.equal(200);
  });

  it('that is another account’s is not told to the one who asks, but to that account', async () => {
    const [owner, curious, other] = [await register(at(0)), await register(at(0)), await register(at(0))];
    const taken = await emailOf(owner);
    const answers = [await start(curious, taken), await start(other, address())];
    expect(answers.map(({ status, body }) => [status, body])).to.satisfy(([a, b]: unknown[]) => {
      expect(a).to.deep.equal(b);
      return true;
    });
    await mailTo(taken, /has an account already/);
    expect((await mailsTo(taken)).map(codeIn)).to.not.satisfy((codes: string[]) => codes.some((code) => code !== ''));
  });

  it('waits for each account that asks, until the first of those who can read the mail there has it', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, (_, i) => register(at(i))));
    const [first, second] = people;
    if (!first || !second) throw new Error('nobody');
    const email = address();
    const answers = await Promise.all(people.map((person, i) => start(person.on(at(i)), email)));
    expect(answers.map(({ status }) => status)).to.deep.equal(people.map(() => 200));
    const codes = await until(async () => ((mails) => (mails.length === 4 ? mails : null))(await mailsTo(email)));
    const codeOf = ({ username }: Person) =>
      codes.filter(({ text = '' }) => text.includes(username)).map(codeIn)[0] ?? '';
    expect((await complete(first, codeOf(second))).body.code).to.equal('INVALID_VERIFICATION_CODE');
    expect((await complete(first, codeOf(first))).status).to.equal(200);
    expect((await complete(second, codeOf(second))).body.code).to.equal('EMAIL_TAKEN');
  });

  it('cannot be the one that it has', async () => {
    const person = await register(at(0));
    const { status, body } = await start(person, await emailOf(person));
    expect([status, body.code, body.issues?.[0]?.path]).to.deep.equal([400, 'VALIDATION_FAILED', 'email']);
  });

  it('takes five tries, and a fresh proof', async () => {
    const person = await register(at(0));
    const email = address();
    await start(person, email);
    const code = await codeFor(email);
    const wrong = code === '000000' ? '000001' : '000000';
    await Promise.all([0, 1, 2, 3, 4].map((i) => complete(person.on(at(i)), wrong)));
    expect((await complete(person, code)).body.code).to.equal('INVALID_VERIFICATION_CODE');
    await query(cluster.databaseUrl, `UPDATE sessions SET created_at = now() - interval '1 hour' WHERE user_id = $1`, [
      person.id,
    ]);
    expect((await start(person, email)).body.code).to.equal('CONFIRMATION_REQUIRED');
  });

  it('is undone by the old one, which ends everything that lets anyone in', async () => {
    const { person, old, email, link } = await moved();
    const token = (await person.post('/api/tokens', { name: 'kept by a thief' })).body.token;
    const squatter = { email: old, password: 'of the squatter' };
    expect((await request(at(0), 'POST', '/api/auth/register', squatter)).status).to.equal(201);
    await mailTo(old, /You have an account already/);
    expect((await undo(`${link.slice(0, -1)}_`)).body.code).to.equal('VERIFICATION_LINK_INVALID');
    const answers = await Promise.all([undo(link), undo(link, 1)]);
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    expect((await person.get('/api/auth/me')).status).to.equal(401);
    const kinds = 'SELECT kind FROM security_notices WHERE user_id = $1 AND email = $2';
    expect(await query(cluster.databaseUrl, kinds, [person.id, old])).to.deep.equal([{ kind: 'password-removed' }]);
    const headers = { authorization: `Bearer ${token}` };
    expect((await request(at(1), 'GET', '/api/auth/me', undefined, headers)).status).to.equal(401);
    for (const name of [old, email]) {
      const login = { email: name, password: 'correct horse' };
      expect((await request(at(0), 'POST', '/api/auth/login', login)).body.code).to.equal('INVALID_CREDENTIALS');
    }
    await request(at(0), 'POST', '/api/auth/email/start', { email: old });
    const code = codeIn(await mailTo(old, /code|sign/i));
    const back = await request(at(1), 'POST', '/api/auth/email/verify', { email: old, code });
    expect(back.body.user).to.include({ id: person.id, email: old });
  });

  it('is undone by the first one too, whoever has moved it on meanwhile', async () => {
    const { person, old, link } = await moved();
    const third = address();
    await start(person, third);
    expect((await complete(person, await codeFor(third))).status).to.equal(200);
    expect((await undo(link)).body).to.include({ ok: true, email: old });
  });

  it('keeps an account, when it is undone, that was to be deleted since', async () => {
    const { person, old, link } = await moved();
    const login = await request(at(0), 'POST', '/api/auth/login', {
      email: person.username,
      password: 'correct horse',
    });
    const thief = new Person(at(0), { ...person, token: login.body.accessToken, refreshToken: '' });
    expect((await thief.delete('/api/auth/me')).status).to.equal(200);
    expect((await undo(link)).body).to.include({ ok: true, email: old });
    const due = 'SELECT deletes_at FROM users WHERE id = $1';
    expect(await query(cluster.databaseUrl, due, [person.id])).to.deep.equal([{ deletes_at: null }]);
  });

  it('is not undone after its time, and frees the old one then', async () => {
    const { old, link } = await moved();
    await query(
      cluster.databaseUrl,
      `UPDATE email_changes SET expires_at = now() - interval '1 second' WHERE old_email = $1`,
      [old],
    );
    expect((await undo(link)).body.code).to.equal('VERIFICATION_LINK_INVALID');
    const next = { email: old, password: 'correct horse' };
    expect((await request(at(0), 'POST', '/api/auth/register', next)).status).to.equal(201);
  });

  it('is not undone by an address that nobody had proven', async () => {
    const person = await register(at(0));
    const [old, email] = [await emailOf(person), address()];
    await start(person, email);
    expect((await complete(person, await codeFor(email))).status).to.equal(200);
    const rows = await query(cluster.databaseUrl, 'SELECT count(*)::int AS n FROM email_changes WHERE old_email = $1', [
      old,
    ]);
    expect(rows).to.deep.equal([{ n: 0 }]);
  });
});
