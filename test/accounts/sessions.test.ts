// nodes: one and two

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import jwt from 'jsonwebtoken';
import type { Node } from '../../src/node/node.ts';
import { sideBySide } from '../rig/side-by-side.ts';
import { until } from '../rig/until.ts';
import { bot } from '../world/bot.ts';
import { type Cluster, sharedCluster, startCluster } from '../world/nodes.ts';
import { type Answer, Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register } from '../world/world.ts';

const refresh = (node: Node, refreshToken: string) => request(node, 'POST', '/api/auth/refresh', { refreshToken });

/** The same account, signed in once more. */
async function signInAgain(person: Person, node = person.node, headers: Record<string, string> = {}): Promise<Person> {
  const credentials = { email: person.username, password: 'correct horse' };
  const { status, body } = await request(node, 'POST', '/api/auth/login', credentials, headers);
  expect(status).to.equal(200);
  const { accessToken: token, refreshToken, user } = body;
  return new Person(node, { id: user.id, username: user.username, token, refreshToken });
}

function at(cluster: Cluster, i: number): Node {
  const node = cluster.nodes[i % cluster.nodes.length];
  if (!node) throw new Error('no node');
  return node;
}

describe('refresh tokens', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await sharedCluster();
  });

  it('are exchanged for a new pair, of which both halves work', async () => {
    const person = await register(at(cluster, 0));
    const { status, body } = await refresh(at(cluster, 1), person.refreshToken);
    expect(status).to.equal(200);
    expect(body.refreshToken).not.to.equal(person.refreshToken);
    person.token = body.accessToken;
    expect((await person.get('/api/auth/me')).status).to.equal(200);
    expect((await refresh(at(cluster, 0), body.refreshToken)).status).to.equal(200);
  });

  it('are JWTs that say when they expire, and open nothing but the next pair', async () => {
    const person = await register(at(cluster, 0));
    const { refreshToken } = (await refresh(at(cluster, 1), person.refreshToken)).body;
    for (const token of [person.refreshToken, refreshToken]) {
      const claims = jwt.decode(token, { json: true });
      expect(claims).to.include({ sub: person.id, typ: 'refresh' });
      expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).to.equal(30 * 24 * 3600);
      const { body } = await person.get('/api/auth/me', { authorization: `Bearer ${token}` });
      expect(body.code).to.equal('ACCESS_TOKEN_INVALID');
    }
  });

  it('give the same successor to twenty who come at once, over all nodes, and to a repeat', async () => {
    const person = await register(at(cluster, 0));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => refresh(at(cluster, i), person.refreshToken)),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal(Array(20).fill(200));
    const successors = new Set(answers.map((answer) => answer.body.refreshToken));
    expect(successors.size).to.equal(1);
    const [successor] = successors;
    expect((await refresh(at(cluster, 0), successor)).status).to.equal(200);
    // The successor was used by now, and a repeat of the first still gets the same one.
    expect((await refresh(at(cluster, 1), person.refreshToken)).body.refreshToken).to.equal(successor);
  });

  it('are refused past their time, the last as the one before it, which was used a moment ago', async () => {
    const person = await register(at(cluster, 0));
    const { body } = await refresh(at(cluster, 0), person.refreshToken);
    const { sid } = jwt.decode(body.accessToken, { json: true }) ?? {};
    await query(cluster.databaseUrl, `UPDATE sessions SET refresh_expires_at = now() WHERE id = $1`, [sid]);
    for (const token of [body.refreshToken, person.refreshToken]) {
      const late = await refresh(at(cluster, 1), token);
      expect([late.status, late.body.code]).to.deep.equal([401, 'REFRESH_TOKEN_INVALID']);
    }
  });

  it('that nobody made, or that are no text, are refused', async () => {
    const unknown = await refresh(at(cluster, 0), 'not-a-token');
    expect([unknown.status, unknown.body.code]).to.deep.equal([401, 'REFRESH_TOKEN_INVALID']);
    const missing = await request(at(cluster, 0), 'POST', '/api/auth/refresh', {});
    expect([missing.status, missing.body.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
  });

  it('of an ended session are refused', async () => {
    const person = await register(at(cluster, 0));
    expect((await person.post('/api/auth/logout')).status).to.equal(200);
    expect((await refresh(at(cluster, 1), person.refreshToken)).body.code).to.equal('REFRESH_TOKEN_INVALID');
  });
});

describe('a refresh token that is used again after the grace', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { accounts: { refreshGraceSeconds: 1 } } });
  });
  after(() => cluster.stop());

  it('ends the session, its tokens and its sockets, whichever of its tokens it was', async () => {
    const person = await register(at(cluster, 0));
    const first = person.refreshToken;
    const second = (await refresh(at(cluster, 0), first)).body.refreshToken;
    const third = (await refresh(at(cluster, 1), second)).body.refreshToken;
    const socket = await person.on(at(cluster, 1)).connect();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const reused = await refresh(at(cluster, 0), first);
    expect([reused.status, reused.body.code]).to.deep.equal([401, 'REFRESH_TOKEN_INVALID']);
    await until(() => socket.socket.disconnected);
    expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
    expect((await refresh(at(cluster, 1), third)).body.code).to.equal('REFRESH_TOKEN_INVALID');
    expect((await person.on(at(cluster, 1)).get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
  });
});

describe('sessions', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await sharedCluster();
  });

  it('are listed with where they are, and which one asks', async () => {
    const phone = await register(at(cluster, 0));
    const laptop = await signInAgain(phone, at(cluster, 1), { 'x-device-name': 'My laptop', 'user-agent': 'curl/8.5' });
    const { body } = await laptop.get('/api/auth/sessions');
    expect(body).to.have.lengthOf(2);
    const own = body.find((session: { current: boolean }) => session.current);
    expect(own).to.include({ deviceName: 'My laptop', userAgent: 'curl/8.5' });
    expect(own).to.include({ place: '127.0.0.0/24', ipAddress: '127.0.0.0/24' });
    const fields = ['id', 'deviceName', 'userAgent', 'place', 'ipAddress', 'createdAt', 'lastSeenAt', 'current'];
    expect(own).to.have.all.keys(...fields);
    expect(jwt.decode(laptop.token)).to.include({ sid: own.id, sub: phone.id, typ: 'access', iss: 'parley' });
  });

  it('that are ended are refused on every node at once, and their sockets are told and closed', async () => {
    const phone = await register(at(cluster, 0));
    const laptop = await signInAgain(phone, at(cluster, 1));
    const [mine, theirs] = [await phone.connect(), await laptop.connect()];
    const list = (await phone.get('/api/auth/sessions')).body;
    const other = list.find((session: { current: boolean }) => !session.current);
    expect((await phone.delete(`/api/auth/sessions/${other.id}`)).status).to.equal(200);
    for (const node of cluster.nodes) {
      const refused = await laptop.on(node).get('/api/auth/me');
      expect([refused.status, refused.body.code]).to.deep.equal([401, 'SESSION_REVOKED']);
    }
    await until(() => theirs.socket.disconnected);
    expect(theirs.all('auth:session-revoked')).to.deep.equal([{ sessionId: other.id }]);
    const back = laptop.dial();
    const refusal = await new Promise<Error & { data?: unknown }>((resolve) =>
      back.socket.on('connect_error', resolve),
    );
    expect(refusal.message).to.equal('Session revoked');
    expect(refusal.data).to.include({ code: 'SESSION_REVOKED' });
    back.close();
    expect(mine.socket.connected).to.equal(true);
    expect((await phone.get('/api/auth/me')).status).to.equal(200);
    mine.close();
  });

  it('that are ended take along the sockets that went on with them, and none that went on with another one', async () => {
    const before = await register(at(cluster, 0));
    const socket = await before.connect();
    const after = await signInAgain(before);
    const again = (await refresh(at(cluster, 1), after.refreshToken)).body.accessToken;
    for (const token of [after.token, again]) {
      expect(await socket.emit('auth:renew', { token })).to.include({ ok: true });
    }
    await before.on(at(cluster, 1)).post('/api/auth/logout');
    expect(await socket.emit('auth:renew', { token: again })).to.include({ ok: true });
    await after.on(at(cluster, 1)).post('/api/auth/logout');
    await until(() => socket.socket.disconnected, { message: 'still connected' });
    expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
  });

  it('are their owner’s alone', async () => {
    const [alice, bob] = [await register(at(cluster, 0)), await register(at(cluster, 1))];
    const [session] = (await alice.get('/api/auth/sessions')).body;
    for (const id of [session.id, 'nonsense']) {
      const refused = await bob.delete(`/api/auth/sessions/${id}`);
      expect([refused.status, refused.body.code]).to.deep.equal([404, 'SESSION_NOT_FOUND']);
    }
    expect((await alice.get('/api/auth/me')).status).to.equal(200);
  });

  it('all end but the calling one when the password is changed', async () => {
    const phone = await register(at(cluster, 0));
    const laptop = await signInAgain(phone, at(cluster, 1));
    const passwords = { oldPassword: 'correct horse', newPassword: 'battery staple' };
    const wrong = await phone.put('/api/auth/password', { ...passwords, oldPassword: 'wrong horse' });
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'CURRENT_PASSWORD_WRONG']);
    const unlike = await phone.put('/api/auth/password', { ...passwords, confirmPassword: 'battery stapler' });
    expect([unlike.status, unlike.body.issues[0].path]).to.deep.equal([400, 'confirmPassword']);
    expect((await phone.put('/api/auth/password', passwords)).status).to.equal(200);
    expect((await phone.get('/api/auth/me')).status).to.equal(200);
    expect((await laptop.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    const again = { currentPassword: 'battery staple', newPassword: 'correct horse' };
    expect((await phone.put('/api/auth/password', again)).status).to.equal(200);
  });
});

describe('a session that is ended while it changes what outlives it', () => {
  const change = { oldPassword: 'correct horse', newPassword: 'battery staple' };
  const waiting = (statement: string) => `SELECT FROM pg_stat_activity WHERE datname = current_database()
    AND wait_event_type = 'Lock' AND query ILIKE '${statement}%'`;

  /** The answer to a request that waits for the row of its user while its session is ended. */
  async function answerTo(person: Person, cluster: Cluster, statement: string, ask: () => Promise<Answer>) {
    const isWaiting = async () => (await query(cluster.databaseUrl, waiting(statement))).length > 0;
    return withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', [person.id]);
      const asking = ask();
      await until(isWaiting);
      expect((await person.post('/api/auth/logout')).status).to.equal(200);
      await rows('COMMIT');
      return asking;
    });
  }

  it('changes no password and makes no token', async () => {
    const cluster = await sharedCluster();
    const person = await register(at(cluster, 0));
    const changing = () => person.put('/api/auth/password', change);
    const changed = await answerTo(person, cluster, 'update "users"%"password_hash"', changing);
    expect([changed.status, changed.body.code]).to.deep.equal([401, 'SESSION_REVOKED']);
    const again = await signInAgain(person);
    const making = () => again.post('/api/tokens', { name: 'mine', scope: 'user:write' });
    const made = await answerTo(again, cluster, 'SELECT id FROM users', making);
    expect([made.status, made.body.code]).to.deep.equal([401, 'SESSION_REVOKED']);
    expect((await (await signInAgain(person)).get('/api/tokens')).body).to.deep.equal([]);
  });
});

describe('a login that is under way while the password is changed', () => {
  it('leaves no session behind that the change does not end', async () => {
    const cluster = await sharedCluster();
    const person = await register(at(cluster, 0));
    const change = { oldPassword: 'correct horse', newPassword: 'battery staple' };
    let changed = false;
    const done = person.put('/api/auth/password', change).finally(() => {
      changed = true;
    });
    // A few at a time, so that the change is not refused for the work that waits before it.
    const login = async () => {
      const credentials = { email: person.username, password: 'correct horse' };
      while (!changed) await request(at(cluster, 0), 'POST', '/api/auth/login', credentials);
    };
    await Promise.all([...Array(4)].map(login));
    expect((await done).status).to.equal(200);
    const sessions = (await person.get('/api/auth/sessions')).body;
    expect(sessions.map((session: { current: boolean }) => session.current)).to.deep.equal([true]);
  });
});

describe('tokens that end', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({ settings: { accounts: { accessTokenSeconds: 7, expiryWarningSeconds: 5 } } });
  });
  after(() => cluster.stop());

  sideBySide({
    'are announced on their sockets, which end with them': async () => {
      const person = await register(at(cluster, 0));
      const socket = await person.connect();
      const { expiresAt } = await socket.next('auth:expiring');
      await until(() => socket.socket.disconnected);
      expect(Date.now()).to.be.at.least(new Date(expiresAt).getTime() - 100);
      expect(socket.all('auth:expiring')).to.have.lengthOf(1);
      expect((await person.get('/api/auth/me')).body.code).to.equal('ACCESS_TOKEN_INVALID');
    },

    'are renewed on the open socket, by the same user only': async () => {
      const [alice, bob] = [await register(at(cluster, 0)), await register(at(cluster, 0))];
      const socket = await alice.connect();
      const { expiresAt } = await socket.next('auth:expiring');
      expect(await socket.emit('auth:renew', { token: bob.token })).to.include({
        ok: false,
        code: 'ACCESS_TOKEN_INVALID',
      });
      const { accessToken } = (await refresh(at(cluster, 1), alice.refreshToken)).body;
      const renewed = await socket.emit('auth:renew', { token: accessToken });
      expect(renewed.ok).to.equal(true);
      expect(new Date(renewed.expiresAt).getTime()).to.be.above(new Date(expiresAt).getTime());
      await until(() => Date.now() > new Date(expiresAt).getTime() + 200);
      expect(socket.socket.connected).to.equal(true);
      // Whoever was late to renew it is warned later.
      await socket.next('auth:expiring', (each) => each.expiresAt === renewed.expiresAt);
      expect(socket.all('auth:expiring').map((each) => each.expiresAt)).to.deep.equal([expiresAt, renewed.expiresAt]);
      socket.close();
    },
  });
});

describe('the codes of failed authentication', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await sharedCluster();
  });

  it('say what is wrong with an access token', async () => {
    const person = await register(at(cluster, 0));
    const code = async (headers: Record<string, string>) =>
      (await request(at(cluster, 0), 'GET', '/api/auth/me', undefined, headers)).body.code;
    expect(await code({})).to.equal('AUTH_TOKEN_MISSING');
    expect(await code({ authorization: 'Basic abc' })).to.equal('AUTH_TOKEN_MISSING');
    const claims = { sub: person.id, sid: person.id, typ: 'access' };
    const forged = jwt.sign(claims, 'another secret of our own', {
      issuer: 'parley',
      audience: 'parley',
      keyid: 'test',
    });
    const unsigned = jwt.sign(claims, '', { algorithm: 'none', issuer: 'parley', audience: 'parley', keyid: 'test' });
    const [head, , tail] = person.token.split('.');
    const changed = [head, Buffer.from(JSON.stringify({ ...claims, exp: 9e9 })).toString('base64url'), tail].join('.');
    const { sid } = jwt.decode(person.token, { json: true }) ?? {};
    const signed = (issuer: string, audience: string) =>
      jwt.sign({ ...claims, sid }, 'a secret for tests only', { issuer, audience, keyid: 'test', expiresIn: 60 });
    expect(await code({ authorization: `Bearer ${signed('parley', 'parley')}` })).to.equal(undefined);
    // For others, or of others, who were given the secret.
    const strange = [signed('parley', 'another'), signed('another', 'parley')];
    for (const token of ['nonsense', forged, unsigned, changed, 'smp_whatever', person.refreshToken, ...strange]) {
      expect(await code({ authorization: `Bearer ${token}` }), token).to.equal('ACCESS_TOKEN_INVALID');
    }
  });

  it('are those of a false token where it names one user and the session of another', async () => {
    const [alice, bob] = [await register(at(cluster, 0)), await register(at(cluster, 0))];
    const robot = await bot(alice);
    const sign = (claims: object) =>
      jwt.sign(claims, 'a secret for tests only', {
        ...{ issuer: 'parley', audience: 'parley', keyid: 'test', expiresIn: 60, jwtid: randomUUID() },
      });
    const sidOf = (who: Person) => jwt.decode(who.token, { json: true })?.sid;
    const tokens = [
      sign({ sub: bob.id, sid: sidOf(alice), typ: 'access' }),
      sign({ sub: bob.id, sid: sidOf(robot), typ: 'agent' }),
      sign({ sub: robot.id, sid: sidOf(alice), typ: 'access' }),
    ];
    for (const node of cluster.nodes) {
      // The session is known to the node when it is asked, as is the user.
      for (const who of [alice, bob, robot]) expect((await who.on(node).get('/api/auth/me')).status).to.equal(200);
      for (const token of tokens) {
        const thief = new Person(node, { id: bob.id, username: '', token, refreshToken: '' });
        expect((await thief.get('/api/auth/me')).body.code).to.equal('ACCESS_TOKEN_INVALID');
        const listener = thief.dial();
        const error = await new Promise<Error & { data?: unknown }>((resolve) =>
          listener.socket.on('connect_error', resolve),
        );
        expect(error.data).to.include({ code: 'ACCESS_TOKEN_INVALID' });
        listener.close();
      }
    }
    for (const who of [alice, bob, robot]) who.hangUp();
  });

  it('are the same in a refused connection', async () => {
    const person = await register(at(cluster, 0));
    for (const [token, message, code] of [
      ['nonsense', 'Invalid token', 'ACCESS_TOKEN_INVALID'],
      ['pat_nonsense', 'Invalid token', 'PAT_TOKEN_INVALID'],
      ['', 'Authentication required', 'AUTH_TOKEN_MISSING'],
    ] as const) {
      person.token = token;
      const listener = person.dial();
      const error = await new Promise<Error & { data?: unknown }>((resolve) =>
        listener.socket.on('connect_error', resolve),
      );
      expect(error.message).to.equal(message);
      expect(error.data).to.include({ code });
      listener.close();
    }
  });
});

describe('a session that ends while Redis is away', () => {
  it('is refused and its sockets are closed on the other node within 2 s', async () => {
    // Nodes without a Redis between them cannot hear each other at all.
    const cluster = await startCluster({ nodes: 2, redisUrl: null });
    try {
      const person = await register(at(cluster, 0));
      const elsewhere = person.on(at(cluster, 1));
      const socket = await elsewhere.connect();
      await person.post('/api/auth/logout');
      const started = Date.now();
      await until(() => socket.socket.disconnected);
      expect(Date.now() - started).to.be.below(2000);
      expect(socket.all('auth:session-revoked')).to.have.lengthOf(1);
      expect((await elsewhere.get('/api/auth/me')).body.code).to.equal('SESSION_REVOKED');
    } finally {
      await cluster.stop();
    }
  });
});
