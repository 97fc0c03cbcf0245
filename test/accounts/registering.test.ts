import { expect } from 'chai';
import { mailboxOf } from '../../src/features/accounts/address/mailbox.ts';
import { mailboxHolder } from '../../src/features/accounts/address/mailboxes.table.ts';
import { newId } from '../../src/infrastructure/ids.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { codeIn, dataFolder, proveAddress, verificationTo } from './mailbox.ts';

const folder = dataFolder();
const random = () => Math.random().toString(36).slice(2);
const address = () => `r${random()}@example.com`;
/** An answer without what is new each time. */
const form = (value: Loose): Loose => {
  if (typeof value !== 'object' || value === null) return value;
  const fresh = ['id', 'accessToken', 'refreshToken', 'deviceToken', 'createdAt', 'confirmedUntil', 'requestId'];
  fresh.push('username', 'displayName', 'email');
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fresh.includes(key) ? '*' : form(one)]));
};

describe('registering', () => {
  let cluster: Cluster;
  const at = (i: number): Node => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const post = (path: string, body: object, i = 0) => request(at(i), 'POST', `/api/auth/${path}`, body);
  const mailsTo = async (to: string) => (await folder.mails()).filter((mail) => mail.to?.[0]?.address === to);
  const newsTo = (to: string, count = 1) =>
    until(async () => {
      const mails = (await mailsTo(to)).filter((mail) => mail.subject === 'You have an account already');
      return mails.length >= count ? mails.at(-1) : null;
    });
  const columns = async (id: string) => {
    const select = 'SELECT email, claimed_email, email_verified_at, password_hash FROM users WHERE id = $1';
    const [row] = await query<Loose>(cluster.databaseUrl, select, [id]);
    return row;
  };
  /** Someone with a proven address. */
  const owner = async (email: string) => {
    const person = await register(at(0), { email });
    await proveAddress(person, folder, email);
    return person;
  };
  const stranger = async (email: string, i = 1): Promise<{ answer: Answer; person: Person }> => {
    const answer = await post('register', { email, password: 'of the stranger' }, i);
    const { accessToken: token = '', refreshToken = '', user = {} } = answer.body;
    return { answer, person: new Person(at(i), { id: user.id, username: user.username, token, refreshToken }) };
  };

  before(async () => {
    cluster = await startCluster({ settings: { dataDir: folder.dataDir } });
  });
  after(() => cluster.stop());

  it('answers the same where the address has an account, as does all that follows', async () => {
    const email = address();
    const person = await owner(email);
    const [taken, free] = [await stranger(email), await stranger(address())];
    expect(taken.answer.status).to.equal(201);
    expect(form(taken.answer.body)).to.deep.equal(form(free.answer.body));
    expect(taken.answer.body.user).to.include({ email, emailVerifiedAt: null });
    const alike = async (ask: (of: typeof taken) => Promise<Answer>) => {
      const [a, b] = [await ask(taken), await ask(free)];
      expect([a.status, form(a.body)]).to.deep.equal([b.status, form(b.body)]);
      return a;
    };
    const emailOf = ({ answer }: typeof taken) => answer.body.user.email;
    await alike((of) => of.person.get('/api/auth/me'));
    const login = (of: typeof taken, password: string) => post('login', { email: emailOf(of), password });
    expect((await alike((of) => login(of, 'of the stranger'))).body.user.id).to.equal(taken.person.id);
    await alike((of) => login(of, 'of nobody at all'));
    await alike((of) => of.person.post('/api/auth/confirm', { password: 'of the stranger' }));
    await alike((of) => of.person.post('/api/auth/confirm', { code: '000000' }));
    await alike((of) => of.person.post('/api/auth/email-change/start', { email: emailOf(of) }));
    await alike((of) => of.person.post('/api/auth/email-verification/start'));
    await alike((of) => of.person.post('/api/auth/email-verification/complete', { code: '000000' }));
    await alike((of) => post('register', { email: emailOf(of), password: 'of another one' }));
    const passwords = { oldPassword: 'of the stranger', newPassword: 'of the stranger again' };
    await alike((of) => of.person.put('/api/auth/password', passwords));
    await alike((of) => login(of, 'of the stranger again'));
    expect((await post('login', { email, password: 'correct horse' })).body.user.id).to.equal(person.id);
  });

  it('costs a login one hash, however many accounts were made with an address', async () => {
    const email = address();
    const person = await owner(email);
    const people = [person, (await stranger(email)).person, (await stranger(email, 0)).person];
    await people[1]?.put('/api/auth/password', {
      oldPassword: 'of the stranger',
      newPassword: 'of the stranger again',
    });
    const hashes = await Promise.all(people.map(async ({ id }) => (await columns(id)).password_hash));
    const salts = hashes.map((hash: string) => hash.slice(0, hash.lastIndexOf('$')));
    expect(new Set(hashes).size).to.equal(3);
    expect(new Set(salts).size).to.equal(1);
  });

  it('tells whoever reads mail there, and gives the new account nothing of theirs', async () => {
    const email = address();
    const person = await owner(email);
    const { person: other } = await stranger(email);
    const mail = await newsTo(email);
    expect(mail.text).to.contain(person.username).and.contain('/app/login').and.contain('/app/forgot');
    expect(codeIn(mail)).to.equal('');
    expect(await columns(other.id)).to.include({ email: null, claimed_email: email, email_verified_at: null });
    await post('email/start', { email });
    const code = await until(async () => (await mailsTo(email)).map(codeIn).find((one) => one !== ''));
    expect((await post('email/verify', { email, code }, 1)).body.user.id).to.equal(person.id);
    expect((await other.get('/api/auth/me')).body.emailVerifiedAt).to.equal(null);
    const [again] = [await other.post('/api/auth/email-verification/start')];
    expect(again.status).to.equal(200);
    await newsTo(email, 2);
    expect(await folder.verifications(email)).to.have.lengthOf(1);
  });

  it('gives an address to one of many who come at once', async () => {
    const email = address();
    const answers = await Promise.all([0, 1, 2, 3].map((i) => stranger(email, i)));
    expect(answers.map(({ answer }) => answer.status)).to.deep.equal([201, 201, 201, 201]);
    const rows = await Promise.all(answers.map(({ person }) => columns(person.id)));
    expect(rows.filter((row) => row.email === email)).to.have.lengthOf(1);
    expect(rows.filter((row) => row.claimed_email === email)).to.have.lengthOf(3);
  });

  it('lets an account prove its address once the other one has left it', async () => {
    const email = address();
    const person = await owner(email);
    const { person: other } = await stranger(email);
    await newsTo(email);
    const moved = address();
    await person.post('/api/auth/email-change/start', { email: moved });
    const code = await until(async () => (await mailsTo(moved)).map(codeIn).find((one) => one !== ''));
    expect((await person.post('/api/auth/email-change/complete', { code })).status).to.equal(200);
    // Until then the other one may take it back.
    await other.post('/api/auth/email-verification/start');
    await newsTo(email, 2);
    const over = `UPDATE email_changes SET expires_at = now() - interval '1 second' WHERE old_email = $1`;
    await query(cluster.databaseUrl, over, [email]);
    await other.post('/api/auth/email-verification/start');
    const proof = codeIn(await verificationTo(folder, email, 2));
    const proven = await other.post('/api/auth/email-verification/complete', { code: proof });
    expect(proven.status).to.equal(200);
    expect(await columns(other.id)).to.include({ email, claimed_email: null });
  });

  it('gives a mailbox one account, in whichever spelling', async () => {
    const local = `m${random()}`;
    const email = `${local}@gmail.com`;
    const person = await owner(email);
    const spelled = `${local.slice(0, 3)}.${local.slice(3)}+work@googlemail.com`;
    const { answer } = await stranger(spelled);
    expect(answer.status).to.equal(201);
    expect((await newsTo(spelled)).text).to.contain(person.username);
    await post('email/start', { email: spelled });
    const code = await until(async () => (await mailsTo(spelled)).map(codeIn).find((one) => one !== ''));
    const refused = await post('email/verify', { email: spelled, code });
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'EMAIL_TAKEN']);
    const mover = await register(at(0));
    const dotted = `${local.slice(0, 2)}.${local.slice(2)}@gmail.com`;
    await mover.post('/api/auth/email-change/start', { email: dotted });
    await until(async () =>
      (await mailsTo(dotted)).some(({ subject }) => subject === 'This address has an account already'),
    );
    // Its own owner may change the spelling.
    await person.post('/api/auth/email-change/start', { email: dotted });
    const own = await until(async () => (await mailsTo(dotted)).map(codeIn).find((one) => one !== ''));
    expect((await person.post('/api/auth/email-change/complete', { code: own })).status).to.equal(200);
  });

  it('knows mailboxes in the database as in the code', async () => {
    const name = `s${random()}`;
    const pairs: [string, string, boolean][] = [
      [`${name}1@outlook.com`, `${name}1+a+b@outlook.com`, true],
      [`${name}2@proton.me`, `${name}2+a@proton.me`, true],
      [`${name}3@gmail.com`, `${name}3@outlook.com`, false],
      [`${name}.4@outlook.com`, `${name}4@outlook.com`, false],
      [`${name}5@example.com`, `${name}5+a@example.com`, false],
      [`${name}6@notgmail.com`, `${name}6+a@notgmail.com`, false],
      [`${name}7@gmail.com.example`, `${name}.7@gmail.com.example`, false],
      [`${name}.8@googlemail.com`, `${name}8+x@gmail.com`, true],
    ];
    for (const [first, second, isOne] of pairs) {
      const person = await register(at(0), { email: first });
      const holder = await withRows(cluster.databaseUrl, (rows) => mailboxHolder(rows, second, newId()));
      expect(holder?.username ?? null, second).to.equal(isOne ? person.username : null);
      expect(mailboxOf(first) === mailboxOf(second), second).to.equal(isOne);
    }
  });

  it('uses indexes to know whether a mailbox is taken', async () => {
    const plan = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('SET enable_seqscan = off');
      const [{ indexdef = '' } = {}] = await rows<{ indexdef?: string }>(
        "SELECT indexdef FROM pg_indexes WHERE indexname = 'users_mailbox'",
      );
      let asked = '';
      await mailboxHolder(
        async (text, values = []) => {
          asked = text;
          return rows(text, values);
        },
        address(),
        newId(),
      );
      expect(indexdef).to.contain('gmail');
      const inline = asked.replaceAll('$1', "'x'").replaceAll('$2', `'${newId()}'`).replaceAll('$3', 'now()');
      return rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${inline}`);
    });
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).to.contain('users_mailbox').and.contain('email_changes_kept');
  });
});

describe('registering where addresses have to be proven first', () => {
  it('is refused alike, and the mail says what is true', async () => {
    const strict = dataFolder();
    const settings = { dataDir: strict.dataDir, accounts: { requireVerifiedEmail: true } };
    const cluster = await startCluster({ nodes: 1, settings });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const post = (path: string, body: object) => request(node, 'POST', `/api/auth/${path}`, body);
      const email = address();
      const first = await post('register', { email, password: 'correct horse' });
      const code = codeIn(await verificationTo(strict, email));
      expect(code).to.match(/^\d{6}$/);
      const second = await post('register', { email, password: 'of the stranger' });
      expect([first.status, second.status]).to.deep.equal([403, 403]);
      expect([first.body.code, second.body.code]).to.deep.equal(['EMAIL_NOT_VERIFIED', 'EMAIL_NOT_VERIFIED']);
      const told = (subject: string) => async () => (await strict.mails()).some((mail) => mail.subject === subject);
      await until(told('You have an account already'));
      const logins = await Promise.all(
        ['correct horse', 'of the stranger'].map((password) => post('login', { email, password })),
      );
      expect(logins.map(({ body }) => body.code)).to.deep.equal(['EMAIL_NOT_VERIFIED', 'EMAIL_NOT_VERIFIED']);
    } finally {
      await cluster.stop();
    }
  });
});

describe('what follows a request for a mail', () => {
  it('begins later, and is until then the same with and without an account', async () => {
    const settings = { mail: { spreadMs: 600_000 } };
    const cluster = await startCluster({ nodes: 1, settings });
    try {
      const [node] = cluster.nodes;
      if (!node) throw new Error('no node');
      const { username } = await register(node);
      const known = `${username}@example.com`;
      for (const email of [known, address()]) {
        const { status, body } = await request(node, 'POST', '/api/auth/password-reset/start', { email });
        expect([status, body]).to.deep.equal([200, { ok: true, success: true, expiresIn: 1800, outbox: true }]);
      }
      const jobs = await query<{ kind: string; seconds: number }>(
        cluster.databaseUrl,
        "SELECT kind, extract(epoch FROM due_at - now())::float AS seconds FROM jobs WHERE kind LIKE '%mail%'",
      );
      // One is the mail of registering.
      expect(jobs.map(({ kind }) => kind)).to.deep.equal(['mail-request', 'mail-request', 'mail-request']);
      for (const { seconds } of jobs) expect(seconds).to.be.within(50, 600);
      const counters = (await query(cluster.databaseUrl, 'SELECT count(*)::int AS n FROM password_resets'))[0];
      expect(counters).to.deep.equal({ n: 0 });
    } finally {
      await cluster.stop();
    }
  });
});
