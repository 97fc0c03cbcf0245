import { expect } from 'chai';
import { v7 as uuid } from 'uuid';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { type Cluster, sharedCluster } from '../world/nodes.ts';
import { type Loose, type Person, request } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('accounts', () => {
  let cluster: Cluster;
  const at = (i: number) => {
    const node = cluster.nodes[i % cluster.nodes.length];
    if (!node) throw new Error('no node');
    return node;
  };
  const post = (path: string, body: unknown, i = 0) => request(at(i), 'POST', `/api/auth/${path}`, body);
  const name = () => `n${Math.random().toString(36).slice(2, 12)}`;

  before(async () => {
    cluster = await sharedCluster();
  });

  it('are made with what was given, and with defaults for the rest', async () => {
    const local = name();
    const { status, body } = await post('register', { email: `  ${local}@Example.COM`, password: 'correct horse' });
    expect(status).to.equal(201);
    const { user } = body;
    expect(user).to.include({ email: `${local}@example.com`, username: local, displayName: local, isBot: false });
    expect(user).to.include({ avatarUrl: null, status: 'member' });
    expect(user.membership).to.deep.include({ status: 'member', level: 10, isMember: true });
    expect(user.membership.capabilities).to.deep.equal(user.membership.tier.capabilities);
    const again = await post('register', { email: `${local}@other.example`, password: 'correct horse' }, 1);
    expect(again.body.user.username).to.match(new RegExp(`^${local}\\d+$`));
  });

  it('take each username once, in any case, also when many come at once', async () => {
    const username = name();
    const tries = Array.from({ length: 6 }, (_, i) =>
      post(
        'register',
        {
          email: `${name()}@example.com`,
          password: 'correct horse',
          username: i % 2 ? username : username.toUpperCase(),
        },
        i,
      ),
    );
    const answers = await Promise.all(tries);
    expect(answers.filter((answer) => answer.status === 201)).to.have.lengthOf(1);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.code]).to.deep.equal([409, 'USERNAME_TAKEN']);
    const email = `${name()}@example.com`;
    const both = await Promise.all([0, 1].map((i) => post('register', { email, password: 'correct horse' }, i)));
    // The address is one account's (see registering.test.ts); neither learns whose.
    expect(both.map((answer) => answer.status)).to.deep.equal([201, 201]);
  });

  it('with generated names never fail for the name of another', async () => {
    const local = name();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        post('register', { email: `${local}@${i}.example`, password: 'correct horse' }, i),
      ),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal(Array(8).fill(201));
    expect(new Set(answers.map((answer) => answer.body.user.username)).size).to.equal(8);
  });

  it('are not made of what does not fit, and each field is named', async () => {
    const good = { email: `${name()}@example.com`, password: 'correct horse' };
    const bad: [string, object][] = [
      ['email', { email: 'nobody' }],
      ['email', { email: undefined }],
      ['password', { password: 'short' }],
      ['password', { password: 'x'.repeat(129) }],
      ['username', { username: 'ab' }],
      ['username', { username: 'x'.repeat(33) }],
      ['username', { username: '.dot' }],
      ['username', { username: 'white space' }],
      ['username', { username: 'a@b.c' }],
      ['displayName', { displayName: 'x'.repeat(65) }],
      ['displayName', { displayName: 'a\0b' }],
    ];
    for (const [field, change] of bad) {
      const { status, body } = await post('register', { ...good, ...change });
      expect([status, body.code, body.issues?.[0]?.path], field).to.deep.equal([400, 'VALIDATION_FAILED', field]);
    }
  });

  it('refuse the passwords that are tried first: common ones, and those made of the name or the address', async () => {
    const name = `quillfeather${Date.now().toString(36)}`;
    const account = { email: `${name}.mail@example.com`, username: name, displayName: 'Lady Quillfeather' };
    const weak = ['password123', 'Iloveyou1', name, `${name.toUpperCase()}!!`, `1${name}.mail@example.com`];
    for (const password of [...weak, 'lady quillfeather 7', `${name}.mail99`]) {
      const { status, body } = await request(at(0), 'POST', '/api/auth/register', { ...account, password });
      expect([status, body.code, body.issues?.[0]?.path], password).to.deep.equal([
        400,
        'VALIDATION_FAILED',
        'password',
      ]);
    }
    const made = await request(at(0), 'POST', '/api/auth/register', { ...account, password: 'a feather of a quill' });
    expect(made.status).to.equal(201);
    const headers = { authorization: `Bearer ${made.body.accessToken}` };
    const change = { oldPassword: 'a feather of a quill', newPassword: name };
    const { body } = await request(at(1), 'PUT', '/api/auth/password', change, headers);
    expect(body.issues?.[0]?.path).to.equal('newPassword');
  });

  it('count passwords and names in UTF-16 units, as clients do', async () => {
    const made = (more: object) =>
      post('register', { email: `${name()}@example.com`, password: 'correct horse', ...more }).then(
        ({ status }) => status,
      );
    expect(await made({ password: '👍'.repeat(4), displayName: '👍'.repeat(32) })).to.equal(201);
    for (const more of [{ password: '👍👍👍' }, { password: '👍'.repeat(65) }, { displayName: '👍'.repeat(33) }]) {
      expect(await made(more), JSON.stringify(more)).to.equal(400);
    }
  });

  it('are not called what means many people', async () => {
    for (const username of ['here', 'Everyone', 'ADMIN', 'aII']) {
      const { status, body } = await post('register', {
        email: `${name()}@example.com`,
        password: 'correct horse',
        username,
      });
      expect([status, body.issues?.[0]?.message]).to.deep.equal([400, 'is reserved, or looks like a reserved name']);
    }
    const { body } = await post('register', { email: `here@${name()}.example.com`, password: 'correct horse' });
    expect(body.user.username).to.match(/^here\d+$/);
  });

  it('are signed in to with e-mail or username in any case, and answer alike for a wrong password and for nobody', async () => {
    const person = await register(at(0));
    for (const email of [person.username, person.username.toUpperCase(), `${person.username}@EXAMPLE.com`]) {
      const { status, body } = await post('login', { email, password: 'correct horse' }, 1);
      expect([status, body.user.id]).to.deep.equal([200, person.id]);
    }
    const wrong = await post('login', { email: person.username, password: 'wrong horse' });
    const nobody = await post('login', { email: name(), password: 'wrong horse' });
    const plain = ({ requestId: _, ...rest }: { requestId: string }) => rest;
    expect([wrong.status, wrong.body.code]).to.deep.equal([401, 'INVALID_CREDENTIALS']);
    expect(plain(wrong.body)).to.deep.equal(plain(nobody.body));
  });

  it('are changed by their owners, and everyone sees it on every node', async () => {
    const person = await register(at(0));
    const socket = await person.on(at(1)).connect();
    const changed = await person.patch('/api/auth/me', {
      displayName: 'New Name',
      avatarUrl: 'https://example.com/a.png',
    });
    expect([changed.status, changed.body.displayName]).to.deep.equal([200, 'New Name']);
    const other = await register(at(1));
    const seen = await other.get(`/api/auth/users/${person.id}`);
    expect(seen.body).to.deep.include({
      id: person.id,
      displayName: 'New Name',
      avatarUrl: 'https://example.com/a.png',
    });
    expect(seen.body).not.to.have.any.keys('email', 'membership', 'status');
    expect((await person.patch('/api/auth/me', { avatarUrl: null })).body.avatarUrl).to.equal(null);
    const odd = ['javascript:alert(1)', '//evil.example/x', 'data:text/html,x'];
    // What this server would never fetch would never be shown.
    for (const avatarUrl of [
      ...odd,
      'http://example.com/a.png',
      'https://10.0.0.1/a.png',
      'https://me@example.com/a',
    ]) {
      expect((await person.patch('/api/auth/me', { avatarUrl })).body.issues?.[0]?.path, avatarUrl).to.equal(
        'avatarUrl',
      );
    }
    socket.close();
  });

  it('have their new name on what they say from then on, on every node', async () => {
    const { alice, bob, channel, close } = await world(cluster);
    const places = [alice, alice.on(bob.node)];
    // From here on the nodes know the name.
    for (const place of places) await place.say(channel.id, 'hello');
    await alice.patch('/api/auth/me', { displayName: 'Other Name' });
    const said = await Promise.all(places.map((place) => place.say(channel.id, 'hello again')));
    expect(said.map(({ author }) => author.displayName)).to.deep.equal(['Other Name', 'Other Name']);
    close();
  });

  it('are told as they are where two things of them are changed at once', async () => {
    const person = await register(at(0));
    const listener = await person.connect();
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%users%'`;
    const changed = await withRows(cluster.databaseUrl, async (rows) => {
      // As another node does it, which has given the new name and not committed yet.
      await rows('BEGIN');
      await rows(`UPDATE users SET display_name = 'Renamed' WHERE id = $1`, [person.id]);
      const change = person.patch('/api/auth/me', { avatarUrl: 'https://example.com/new.png' });
      await until(async () => (await query(cluster.databaseUrl, waiting)).length > 0);
      await rows('COMMIT');
      return change;
    });
    const now = { displayName: 'Renamed', avatarUrl: 'https://example.com/new.png' };
    expect(changed.body).to.include(now);
    expect((await listener.next('user:updated')).user).to.include(now);
    person.hangUp();
  });

  it('have the display name that they give themselves, as it was sent', async () => {
    const person = await register(at(0));
    const displayName = '  Zoe\u0308  ';
    expect((await person.patch('/api/auth/me', { displayName })).body.displayName).to.equal(displayName);
    expect((await person.get('/api/auth/me')).body.displayName).to.equal(displayName);
  });

  it('that do not exist are not found', async () => {
    const person = await register(at(0));
    for (const id of [uuid(), 'nonsense', '%00']) {
      const { status, body } = await person.get(`/api/auth/users/${id}`);
      expect([status, body.code], id).to.deep.equal([404, 'USER_NOT_FOUND']);
    }
  });

  it('say good-bye with the token in header or body, whatever its type, and are always answered well', async () => {
    const person = await register(at(0));
    expect((await person.post('/api/auth/disconnect')).body.ok).to.equal(true);
    const beacon = await fetch(`${at(0).url}/api/auth/disconnect`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain;charset=UTF-8' },
      body: JSON.stringify({ token: person.token }),
    });
    expect([beacon.status, await beacon.json()]).to.deep.equal([200, { ok: true, success: true }]);
    const unread = new URLSearchParams('nothing=here&token[]=1&token[a]=b');
    const file = new FormData();
    file.set('token', new Blob(['x'.repeat(100_000)]), 'token.txt');
    for (const body of [unread, file]) {
      const broken = await fetch(`${at(0).url}/api/auth/disconnect`, { method: 'POST', body });
      expect(broken.status).to.equal(200);
    }
    const unfit = ['[]', '{"token":"\\u0000"}', '{"token":"\\ud800"}', `${'['.repeat(99)}${']'.repeat(99)}`];
    for (const body of ['nonsense', '{"token":"nonsense"}', '{"token":7}', ...unfit]) {
      expect((await post('disconnect', body)).status, body).to.equal(200);
    }
  });
});

describe('the dashboard', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  it('counts what is there', async () => {
    const { alice, bob, channel } = here;
    await bob.say(channel.id, 'one');
    await bob.say(channel.id, 'two');
    const counts = async (person: Person) => (await person.get('/api/auth/dashboard')).body;
    expect(await counts(alice)).to.include({ serversOwned: 1, serversJoined: 0, messagesSent: 0, friends: 0 });
    const ofBob = await counts(bob);
    expect(ofBob).to.include({
      serversOwned: 0,
      serversJoined: 1,
      messagesSent: 2,
      buddyCount: 0,
      buddyOnlineHours: 0,
    });
    expect((await bob.post('/api/agents', { name: `bot-${Date.now()}` })).status).to.equal(201);
    await bob.post('/api/friends/request', { username: alice.username });
    expect(await counts(alice)).to.include({ friends: 0 });
    await alice.post('/api/friends/request', { username: bob.username });
    expect(await counts(bob)).to.include({ friends: 1, buddyCount: 1 });
    // That Bob joined is told in the background; what he asked is answered, and counts as read.
    await until(async () => (await counts(alice)).unreadNotifications === 1);
    await until(async () => {
      const { unreadNotifications } = await counts(alice);
      const { notifications, buddy } = (await alice.get('/api/auth/menu-summary')).body;
      return notifications.unreadCount === unreadNotifications && buddy.count === 0;
    });
    expect(ofBob.memberSince).to.equal((await bob.get('/api/auth/me')).body.createdAt);
  });
});

describe('users with another name or picture', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());
  const named = (displayName: string) => (data: Loose) => data.user.displayName === displayName;

  it('are told to those who may meet them, and to nobody else', async () => {
    const { alice, bob, carol, channel } = here;
    const dave = await register(bob.node);
    await carol.post('/api/dm/channels', { userId: alice.id });
    const [own, his, hers, stranger] = [
      await alice.on(bob.node).connect(),
      await bob.listen(channel.id),
      await carol.connect(),
      await dave.connect(),
    ];
    await alice.patch('/api/auth/me', { displayName: 'Alice I', avatarUrl: 'https://example.com/a.png' });
    for (const ear of [own, his, hers]) {
      const { user } = await ear.next('user:updated', named('Alice I'));
      const avatarUrl = 'https://example.com/a.png';
      expect(user).to.deep.equal({
        id: alice.id,
        username: alice.username,
        displayName: 'Alice I',
        avatarUrl,
        isBot: false,
      });
    }
    await dave.patch('/api/auth/me', { displayName: 'Dave I' });
    await stranger.next('user:updated', named('Dave I'));
    expect(stranger.all('user:updated')).to.have.length(1);
    expect(his.all('user:updated')).to.have.length(1);
    dave.hangUp();
  });

  it('are told also when they are bots', async () => {
    const { alice, bob, server, channel } = here;
    const robot = await botIn(server, alice);
    const ear = await bob.listen(channel.id);
    await alice.patch(`/api/agents/${robot.agentId}`, { displayName: 'The helper' });
    expect((await ear.next('user:updated', named('The helper'))).user).to.include({ id: robot.id, isBot: true });
  });

  it('are told also when they are those of a deleted account', async () => {
    const { alice, bob, carol, server, channel } = here;
    const robot = await botIn(server, alice);
    const dm = (await carol.post('/api/dm/channels', { userId: robot.id })).body;
    const ears = [await bob.listen(channel.id), await carol.connect()];
    await alice.delete(`/api/agents/${robot.agentId}`);
    const [{ otherUser }] = (await carol.get('/api/dm/channels')).body.filter(({ id }: Loose) => id === dm.id);
    for (const ear of ears) {
      const told = await ear.next('user:updated', ({ user }) => user.id === robot.id);
      expect(told.user).to.deep.equal(otherUser);
    }
    expect(otherUser.username).to.match(/^deleted-/);
  });
});
