import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { Email } from 'postal-mime';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Answer, type Loose, Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register } from '../world/world.ts';
import { Browser } from './browser.ts';
import { clientId, clientSecret, type Issuer, startIssuer } from './identity-provider.ts';
import { codeIn, dataFolder, proveAddress, tokenIn, verificationIn, verificationTo } from './mailbox.ts';
import { Armed, open, type Place, shut } from './squatter.ts';

const site = 'https://takeover.example.test';
const folder = dataFolder();
const complete = '/api/auth/email-verification/complete';
let cluster: Cluster;
let issuer: Issuer;
let place: Place;

const at = (i: number): Node => {
  const node = cluster.nodes[i % cluster.nodes.length];
  if (!node) throw new Error('no node');
  return node;
};
const address = () => `v${Math.random().toString(36).slice(2)}@example.com`;
const post = (path: string, body: object, i = 0) => request(at(i), 'POST', path, body);
/** The mails to an address that fit. */
const mailsTo = async (email: string, fits: (text: string) => boolean) =>
  (await folder.mails()).filter((mail) => mail.to?.[0]?.address === email && fits(mail.text ?? ''));
/** The mail that comes of something. */
async function mailOf(email: string, fits: (text: string) => boolean, asking: () => Promise<unknown>): Promise<Email> {
  const before = (await mailsTo(email, fits)).length;
  await asking();
  return until(async () => (await mailsTo(email, fits))[before]);
}
const hasCode = (text: string) => text.includes('code to sign in');
const hasReset = (text: string) => text.includes('reset-password');
const wasClaimed = async (email: string): Promise<boolean> =>
  (await folder.mails()).some((mail) => mail.to?.[0]?.address === email && mail.subject?.includes('yours alone'));
const me = async (token: string) => (await new Person(at(0), { ...nobody, token }).get('/api/auth/me')).body;
const nobody = { id: '', username: '', refreshToken: '' };

async function mailedCode(email: string, i = 0): Promise<Answer> {
  const code = codeIn(await mailOf(email, hasCode, () => post('/api/auth/email/start', { email }, i)));
  return post('/api/auth/email/verify', { email, code }, i);
}

async function providerSignIn(email: string, i = 0): Promise<Answer> {
  const idToken = await issuer.token({ sub: `owner-${email}`, email, email_verified: true });
  return post('/api/auth/corp/id-token', { idToken }, i);
}

async function reset(email: string, i = 0, more: object = {}): Promise<Answer> {
  const token = tokenIn(await mailOf(email, hasReset, () => post('/api/auth/password-reset/start', { email }, i)));
  return post('/api/auth/password-reset/complete', { token, newPassword: 'of the owner', ...more }, i);
}

async function openLink(email: string, by: Person | null): Promise<Answer> {
  const token = verificationIn(await verificationTo(folder, email));
  return by ? by.post(complete, { token }) : post(complete, { token });
}

/** The ways in which an owner proves an address for the first time, and the token that they have then, if any. */
const proofs: Record<string, (email: string) => Promise<string | null>> = {
  'a provider that has verified it': async (email) => (await providerSignIn(email, 1)).body.accessToken,
  'a mailed code': async (email) => (await mailedCode(email, 1)).body.accessToken,
  'a reset link': async (email) => {
    expect((await reset(email, 1)).body).to.deep.include({
      remaining: { personalTokens: 0, agentTokens: 0, modelTokens: 0, linkedAccounts: 0, passkeys: 0, webhooks: 0 },
    });
    return (await post('/api/auth/login', { email, password: 'of the owner' })).body.accessToken;
  },
  'the verification link, opened by nobody': async (email) => {
    const { status, body } = await openLink(email, null);
    expect([status, body.takenOver]).to.deep.equal([200, true]);
    return null;
  },
  'the verification link, opened by someone with another account': async (email) => {
    const other = await register(at(1));
    expect((await openLink(email, other)).body.takenOver).to.equal(true);
    expect((await other.get('/api/auth/me')).body.emailVerifiedAt).to.equal(null);
    return null;
  },
};

describe('an account whose address nobody has proven', () => {
  before(async () => {
    issuer = await startIssuer();
    const oauthProviders = [{ name: 'corp', kind: 'openid' as const, issuer: issuer.url, clientId, clientSecret }];
    const settings = { publicUrl: site, dataDir: folder.dataDir, appProxyAllow: ['127.0.0.1'], oauthProviders };
    // Changes wait for a lock for longer, so that all that a test lets wait do so at once.
    cluster = await startCluster({ settings: { ...settings, database: { idleTransactionMs: 12_000 } } });
    place = { nodes: cluster.nodes, site, issuer };
  });
  after(async () => {
    await cluster.stop();
    issuer.stop();
  });

  it('works in everything, and says that it is not proven', async () => {
    const armed = await Armed.at(place, address());
    expect(await armed.doors(at(1))).to.deep.equal(open);
    expect((await armed.idToken(at(0))).body.user).to.include({ id: armed.person.id, emailVerifiedAt: null });
    expect((await armed.login(at(0))).body.user.emailVerifiedAt).to.equal(null);
    armed.hangUp();
  });

  for (const [way, prove] of Object.entries(proofs)) {
    it(`belongs, with nothing that let its maker in, to whoever proves it first by ${way}`, async () => {
      const email = address();
      const armed = await Armed.at(place, email);
      const token = await prove(email);
      for (const node of cluster.nodes) expect(await armed.doors(node)).to.deep.equal(shut);
      for (const { socket } of armed.sockets) await until(() => socket.disconnected);
      const strange = (await armed.idToken(at(0))).body;
      expect(strange.user.id).not.to.equal(armed.person.id);
      const own = token ?? (await mailedCode(email)).body.accessToken;
      expect(await me(own))
        .to.include({ id: armed.person.id, email })
        .and.property('emailVerifiedAt')
        .a('string');
      const owner = new Person(at(0), { ...nobody, id: armed.person.id, token: own });
      const hook = await owner.get(`/api/agents/${armed.agentId}/webhook`);
      expect(hook.body.code).to.equal('WEBHOOK_NOT_FOUND');
      expect((await owner.get('/api/tokens')).body).to.deep.equal([]);
      expect((await owner.get('/api/ai/tokens')).body).to.deep.equal([]);
      expect((await owner.get('/api/auth/oauth/accounts')).body.length).to.equal(way.startsWith('a provider') ? 1 : 0);
      await until(() => wasClaimed(email));
      armed.hangUp();
    });
  }

  it('keeps everything where its own session proves the address, by link or code, on any node', async () => {
    for (const prove of ['link', 'code'] as const) {
      const email = address();
      const armed = await Armed.at(place, email);
      const mail = await verificationTo(folder, email);
      expect(mail.text).to.contain(`${site}/app/verify-email?token=`);
      const given = prove === 'link' ? { token: verificationIn(mail) } : { code: codeIn(mail) };
      const { status, body } = await armed.person.on(at(1)).post(complete, given);
      expect([status, body.takenOver]).to.deep.equal([200, false]);
      expect((await armed.person.get('/api/auth/me')).body.emailVerifiedAt).to.equal(body.emailVerifiedAt);
      expect((await armed.person.post(complete, given)).status).to.equal(400);
      expect((await mailedCode(email)).body.user.id).to.equal(armed.person.id);
      expect((await providerSignIn(email)).body.user.id).to.equal(armed.person.id);
      expect(await armed.doors(at(0))).to.deep.equal(open);
      expect((await armed.idToken(at(0))).body.user.id).to.equal(armed.person.id);
      expect(armed.sockets.every(({ socket }) => socket.connected)).to.equal(true);
      expect(await wasClaimed(email)).to.equal(false);
      armed.hangUp();
    }
  });

  it('keeps everything too where the link comes with its password, from a browser in which nobody is signed in', async () => {
    const email = address();
    const armed = await Armed.at(place, email);
    const token = verificationIn(await verificationTo(folder, email));
    const wrong = await post(complete, { token, password: 'a guess' });
    expect([wrong.status, wrong.body.code]).to.deep.equal([401, 'INVALID_CREDENTIALS']);
    const right = await post(complete, { token, password: 'correct horse' }, 1);
    expect([right.status, right.body.takenOver]).to.deep.equal([200, false]);
    expect(await armed.doors(at(0))).to.deep.equal(open);
    armed.hangUp();
  });

  it('is proven by linking a provider that has verified the same address, from its own session', async () => {
    const email = address();
    const person = await register(at(0), { email });
    const answer = await person.post('/api/auth/oauth/corp/link');
    issuer.signsIn = { sub: `self-${email}`, email, email_verified: true };
    const browser = new Browser({ [site]: at(0).url });
    browser.keep(site, answer);
    await browser.follow(answer.body.url, (url) => url.pathname === '/app/oauth-callback');
    expect((await person.get('/api/auth/me')).body.emailVerifiedAt).to.be.a('string');
  });

  it('is proven by no link that was merely fetched, and the code by no one else’s session', async () => {
    const email = address();
    const person = await register(at(0), { email });
    const other = await register(at(0));
    const mail = await verificationTo(folder, email);
    const page = await request(at(0), 'GET', `/app/verify-email?token=${verificationIn(mail)}`);
    expect(page.status).to.equal(200);
    expect((await person.get('/api/auth/me')).body.emailVerifiedAt).to.equal(null);
    expect((await other.post(complete, { code: codeIn(mail) })).body.code).to.equal('INVALID_VERIFICATION_CODE');
    expect((await post(complete, { code: codeIn(mail) })).body.code).to.equal('AUTH_TOKEN_MISSING');
    expect((await post(complete, {})).body.code).to.equal('VALIDATION_FAILED');
    expect((await post(complete, { token: 'made-up' })).body.code).to.equal('VERIFICATION_LINK_INVALID');
    // A session that has ended counts as none only once its browser says so.
    await person.post('/api/auth/logout');
    const late = await person.post(complete, { token: verificationIn(mail) });
    expect(late.body.code).to.equal('SESSION_REVOKED');
  });

  it('gets another mail on request, whose link and code replace the ones before, until it is proven', async () => {
    const email = address();
    const person = await register(at(0), { email });
    const first = await verificationTo(folder, email);
    const again = await person.on(at(1)).post('/api/auth/email-verification/start');
    expect(again.body).to.deep.equal({ ok: true, success: true, expiresIn: 86_400, outbox: true });
    const second = await verificationTo(folder, email, 2);
    expect((await person.post(complete, { token: verificationIn(first) })).status).to.equal(400);
    for (let i = 0; i < 5; i++) {
      const code = codeIn(second) === '000000' ? '000001' : '000000';
      expect((await person.post(complete, { code })).body.code).to.equal('INVALID_VERIFICATION_CODE');
    }
    expect((await person.post(complete, { code: codeIn(second) })).body.code).to.equal('INVALID_VERIFICATION_CODE');
    await person.post('/api/auth/email-verification/start');
    expect((await person.post(complete, { code: codeIn(await verificationTo(folder, email, 3)) })).status).to.equal(
      200,
    );
    const done = await person.post('/api/auth/email-verification/start');
    expect([done.status, done.body.code]).to.deep.equal([409, 'EMAIL_ALREADY_VERIFIED']);
  });

  it('is proven from the start where a proof made it', async () => {
    const [byCode, byProvider] = [await mailedCode(address()), await providerSignIn(address())];
    for (const { body } of [byCode, byProvider]) expect(body.user.emailVerifiedAt).to.be.a('string');
  });

  it('is not proven by an address that a provider has not verified', async () => {
    const email = address();
    const armed = await Armed.at(place, email);
    const idToken = await issuer.token({ sub: `liar-${email}`, email, email_verified: false });
    const { body } = await post('/api/auth/corp/id-token', { idToken });
    expect(body.user.id).not.to.equal(armed.person.id);
    expect(await armed.doors(at(0))).to.deep.equal(open);
    armed.hangUp();
  });

  it('is taken over once where several prove it at the same time', async () => {
    const email = address();
    const armed = await Armed.at(place, email);
    const code = codeIn(await mailOf(email, hasCode, () => post('/api/auth/email/start', { email })));
    const [mail, ...providers] = await Promise.all([
      post('/api/auth/email/verify', { email, code }),
      ...[0, 1, 2].map((i) => providerSignIn(email, i)),
    ]);
    // A takeover ends the codes under way; whoever comes second is let in, or asks for another one.
    expect(mail?.status).to.be.oneOf([200, 400]);
    for (const { status, body } of providers) expect([status, body.user?.id]).to.deep.equal([200, armed.person.id]);
    for (const answer of providers) expect((await me(answer.body.accessToken)).id).to.equal(armed.person.id);
    expect((await armed.login(at(0))).status).to.equal(401);
    armed.hangUp();
  });

  it('leaves nothing that its maker makes while it is taken over', async () => {
    const email = address();
    const armed = await Armed.at(place, email);
    const { person, agentId } = armed;
    const early: (() => Promise<Answer>)[] = [
      () => person.post('/api/tokens', { name: 'late', scope: 'user:write' }),
      () => person.post('/api/agents', { name: `${person.username}-late` }),
      () => person.post(`/api/agents/${agentId}/token`),
      () => person.post('/api/ai/tokens', { runtimeId: 'late' }),
    ];
    const late: (() => Promise<Answer>)[] = [
      () => person.post('/api/tokens', { name: 'later', scope: 'user:write' }),
      () => person.post(`/api/agents/${agentId}/token`),
      () => person.put(`/api/agents/${agentId}/webhook`, { url: 'http://127.0.0.1:9/late' }),
      () => armed.login(at(1)),
      () => armed.idToken(at(1)),
      () => person.put('/api/auth/password', { oldPassword: 'correct horse', newPassword: 'of the thief' }),
    ];
    await withRows(cluster.databaseUrl, async (rows) => {
      // Everyone waits for the account: whoever comes first, nothing made by its maker may be left.
      await rows('BEGIN');
      await rows('SELECT FROM users WHERE id = $1 FOR UPDATE', [person.id]);
      const first = early.map((attempt) => attempt());
      await until(async () => (await waiting()) >= early.length);
      const owner = providerSignIn(email, 1);
      await until(async () => (await waiting()) > early.length);
      const second = late.map((attempt) => attempt());
      await rows('COMMIT');
      expect((await owner).status).to.equal(200);
      await Promise.all([...first, ...second]);
    });
    const [left] = await query<Loose>(
      cluster.databaseUrl,
      `SELECT (SELECT count(*)::int FROM personal_tokens WHERE user_id = $1 AND revoked_at IS NULL) AS tokens,
         (SELECT count(*)::int FROM agent_tokens t JOIN agents a ON a.id = t.agent_id WHERE a.owner_id = $1) AS agents,
         (SELECT count(*)::int FROM model_tokens WHERE user_id = $1) AS models,
         (SELECT count(*)::int FROM webhooks w JOIN agents a ON a.id = w.agent_id WHERE a.owner_id = $1) AS webhooks,
         (SELECT count(*)::int FROM sessions WHERE user_id = $1 AND revoked_at IS NULL) AS sessions,
         (SELECT count(*)::int FROM oauth_accounts WHERE user_id = $1) AS links,
         (SELECT password_hash IS NULL FROM users WHERE id = $1) AS "hasNone"`,
      [person.id],
    );
    expect(left).to.deep.equal({ tokens: 0, agents: 0, models: 0, webhooks: 0, sessions: 1, links: 1, hasNone: true });
    armed.hangUp();
  });

  const waiting = async (): Promise<number> => {
    const found = await query(
      cluster.databaseUrl,
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return found.length;
  };
});

describe('a new password of a proven account', () => {
  before(async () => {
    issuer = await startIssuer();
    const oauthProviders = [{ name: 'corp', kind: 'openid' as const, issuer: issuer.url, clientId, clientSecret }];
    const settings = { publicUrl: site, dataDir: folder.dataDir, appProxyAllow: ['127.0.0.1'], oauthProviders };
    // Refresh tokens are tried again and again, however long that takes.
    cluster = await startCluster({ settings: { ...settings, accounts: { refreshGraceSeconds: 600 } } });
    place = { nodes: cluster.nodes, site, issuer };
  });
  after(async () => {
    await cluster.stop();
    issuer.stop();
  });

  const all = { personalTokens: 1, agentTokens: 1, modelTokens: 1, linkedAccounts: 1, passkeys: 0, webhooks: 1 };
  const none = { personalTokens: 0, agentTokens: 0, modelTokens: 0, linkedAccounts: 0, passkeys: 0, webhooks: 0 };
  const change = { oldPassword: 'correct horse', newPassword: 'of the owner' };
  const proven = async () => {
    const email = address();
    const armed = await Armed.at(place, email);
    await proveAddress(armed.person, folder, email);
    return armed;
  };
  const kept = { ...open, password: '401 INVALID_CREDENTIALS' };
  const ended = { ...shut, access: '200', refresh: '200', accessSocket: 'ready' };

  it('ends the other sessions, says what is left, and ends that on request', async () => {
    const armed = await proven();
    const other = new Person(at(1), { ...nobody, token: (await armed.login(at(1))).body.accessToken });
    const changed = await armed.person.put('/api/auth/password', change);
    expect([changed.status, changed.body.remaining]).to.deep.equal([200, all]);
    expect((await other.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    expect(await armed.doors(at(1))).to.deep.equal(kept);
    const again = { oldPassword: 'of the owner', newPassword: 'once more of the owner', endTokens: true };
    expect((await armed.person.put('/api/auth/password', again)).body.remaining).to.deep.equal(none);
    // Its refresh token was exchanged above: the grace gives its successor.
    for (const node of cluster.nodes) expect(await armed.doors(node)).to.deep.equal(ended);
    const [own, pat, robot] = armed.sockets;
    await until(() => pat?.socket.disconnected && robot?.socket.disconnected);
    expect(own?.socket.connected).to.equal(true);
    expect((await armed.idToken(at(0))).body.user.id).not.to.equal(armed.person.id);
    armed.hangUp();
  });

  it('by a mailed link ends all sessions, and the rest on request', async () => {
    const armed = await proven();
    expect((await reset(armed.email)).body.remaining).to.deep.equal(all);
    expect(await armed.doors(at(1))).to.deep.equal({
      ...kept,
      access: shut.access,
      refresh: shut.refresh,
      accessSocket: shut.accessSocket,
    });
    expect((await reset(armed.email, 1, { endTokens: true })).body.remaining).to.deep.equal(none);
    for (const node of cluster.nodes) expect(await armed.doors(node)).to.deep.equal(shut);
    expect(await wasClaimed(armed.email)).to.equal(false);
    armed.hangUp();
  });
});

describe('a session that is revoked', () => {
  before(async () => {
    issuer = await startIssuer();
    const oauthProviders = [{ name: 'corp', kind: 'openid' as const, issuer: issuer.url, clientId, clientSecret }];
    const settings = { publicUrl: site, dataDir: folder.dataDir, appProxyAllow: ['127.0.0.1'], oauthProviders };
    cluster = await startCluster({ settings: { ...settings, accounts: { refreshGraceSeconds: 0.01 } } });
    place = { nodes: cluster.nodes, site, issuer };
  });
  after(async () => {
    await cluster.stop();
    issuer.stop();
  });

  const ended = { ...shut, password: '200' };
  const again = async (armed: Armed) => {
    const token: string = (await armed.login(at(1))).body.accessToken;
    return new Person(at(1), { ...nobody, id: armed.person.id, token });
  };
  const sidOf = (person: Person): string => String(jwt.decode(person.token, { json: true })?.sid);
  /** All but the refresh token, which works once. */
  const doorsOf = async (armed: Armed, node: Node) => ({ ...(await armed.doors(node)), refresh: '' });

  it('from the list takes along what it made, and nothing that others made', async () => {
    const armed = await Armed.at(place, address());
    const owner = await again(armed);
    const own = (await owner.post('/api/tokens', { name: 'own', scope: 'user:read' })).body.token;
    expect((await owner.delete(`/api/auth/sessions/${sidOf(armed.person)}`)).status).to.equal(200);
    for (const node of cluster.nodes) expect(await armed.doors(node)).to.deep.equal(ended);
    expect((await owner.get(`/api/agents/${armed.agentId}/webhook`)).body.state).to.equal('paused');
    expect((await owner.get('/api/auth/oauth/accounts')).body).to.deep.equal([]);
    const kept = new Person(at(0), { ...nobody, token: own });
    expect((await kept.get('/api/auth/me')).status).to.equal(200);
    armed.hangUp();
  });

  it('because its refresh token was used twice does so too, and one that logs out does not', async () => {
    const armed = await Armed.at(place, address());
    const exchange = () => post('/api/auth/refresh', { refreshToken: armed.person.refreshToken });
    expect((await exchange()).status).to.equal(200);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await exchange()).status).to.equal(401);
    expect(await doorsOf(armed, at(1))).to.deep.equal({ ...ended, refresh: '' });
    armed.hangUp();
    const other = await Armed.at(place, address());
    await other.person.post('/api/auth/logout');
    const left = { ...open, access: ended.access, accessSocket: ended.accessSocket, refresh: '' };
    expect(await doorsOf(other, at(1))).to.deep.equal(left);
    other.hangUp();
  });
});

describe('a server that lets in only those whose address is proven', () => {
  before(async () => {
    const settings = { publicUrl: site, dataDir: folder.dataDir, accounts: { requireVerifiedEmail: true } };
    cluster = await startCluster({ settings });
  });
  after(() => cluster.stop());

  it('makes the account and mails, and lets its maker in once the link was opened with the password', async () => {
    const email = address();
    const made = await post('/api/auth/register', { email, password: 'correct horse' });
    expect([made.status, made.body.code]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED']);
    const first = await verificationTo(folder, email);
    const early = await post('/api/auth/login', { email, password: 'correct horse' }, 1);
    expect([early.status, early.body.code]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED']);
    expect((await post('/api/auth/login', { email, password: 'wrong horse' })).body.code).to.equal(
      'INVALID_CREDENTIALS',
    );
    const second = await verificationTo(folder, email, 2);
    expect((await post(complete, { token: verificationIn(first), password: 'correct horse' })).status).to.equal(400);
    expect(
      (await post(complete, { token: verificationIn(second), password: 'correct horse' })).body.takenOver,
    ).to.equal(false);
    const { status, body } = await post('/api/auth/login', { email, password: 'correct horse' }, 1);
    expect(status).to.equal(200);
    expect((await post('/api/auth/refresh', { refreshToken: body.refreshToken })).status).to.equal(200);
    await query(cluster.databaseUrl, 'UPDATE users SET email_verified_at = NULL WHERE id = $1', [body.user.id]);
    const refused = await post('/api/auth/refresh', { refreshToken: body.refreshToken }, 1);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED']);
    expect((await mailedCode(email)).status).to.equal(200);
  });
});
