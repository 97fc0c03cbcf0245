// nodes: own

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { type Loose, Person, request } from '../world/person.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { type Device, type PushService, pushService } from './push-service.ts';

/** So long after one push of a notification comes the next. */
const repeatMs = 500;

describe('pushes', () => {
  let service: PushService;
  let cluster: Cluster;
  let here: World;

  before(async () => {
    service = await pushService();
    // A push that was too slow is not sent again: time enough for a busy machine.
    const push = { recheckMs: 100, timeoutMs: 5000, silentPushes: 3, repeatMs };
    cluster = await startCluster({ nodes: 2, settings: { appProxyAllow: [service.host], push } });
  });
  beforeEach(async () => {
    here = await world(cluster);
  });
  afterEach(() => here.close());
  after(async () => {
    await cluster.stop();
    await service.close();
    expect(service.complaints).to.deep.equal([]);
  });

  const subscribed = async (person: Person): Promise<Device> => {
    const device = service.device();
    await device.subscribe(person);
    return device;
  };
  const dm = async (from: Person, to: Person) => (await from.post('/api/dm/channels', { userId: to.id })).body.id;
  const inbox = async (person: Person): Promise<Loose[]> => (await person.get('/api/notifications')).body;
  /** All that follows what was said is done, but for what waits for someone to go. */
  const settled = () =>
    until(async () => {
      const left = `SELECT FROM jobs WHERE died_at IS NULL AND due_at <= now() + interval '1 minute'
        AND kind IN ('notification', 'message-audience', 'push', 'push-closing', 'push-test')`;
      return (await query(cluster.databaseUrl, left)).length === 0;
    });
  /** Whether a push of a notification waits. */
  const isWaiting = async (id: string) => {
    const waiting = `SELECT FROM jobs WHERE kind = 'push' AND key LIKE $1`;
    return (await query(cluster.databaseUrl, waiting, [`%${id}`])).length > 0;
  };
  const subscriptions = (person: Person) =>
    query(cluster.databaseUrl, 'SELECT session_id FROM push_subscriptions WHERE user_id = $1', [person.id]);
  /** Another sign-in of the same person. */
  const again = async (person: Person): Promise<Person> => {
    const body = { email: person.username, password: 'correct horse' };
    const { accessToken: token, refreshToken } = (await request(person.node, 'POST', '/api/auth/login', body)).body;
    return new Person(person.node, { id: person.id, username: person.username, token, refreshToken });
  };

  it('are encrypted for the device, signed with the key of this server, and say who wrote what', async () => {
    const { alice, bob, channel, server } = here;
    const { publicKey } = (await bob.get('/api/push/key')).body;
    const device = await subscribed(bob);
    const said = await alice.say(channel.id, `@${bob.username} lunch?`);
    const { payload, headers, signedBy } = await device.next(() => true);
    expect(signedBy).to.equal(publicKey);
    const [notification] = await inbox(bob);
    expect(payload).to.deep.include({
      type: 'notification',
      id: notification?.id,
      kind: 'message.mention',
      title: notification?.title,
      body: said.content,
      serverId: server.id,
      channelId: channel.id,
      referenceType: 'message',
      referenceId: said.id,
      inviteCode: null,
      unreadCount: 1,
      closed: [],
    });
    expect(headers).to.include({ urgency: 'high', ttl: '86400' });
  });

  it('come once for what a notification has at a time, to each session, whichever node makes them', async () => {
    const { alice, bob } = here;
    const [one, other] = [await subscribed(bob), await subscribed(await again(bob))];
    const channel = await dm(alice, bob);
    for (const [index, node] of [...cluster.nodes, ...cluster.nodes].entries())
      await alice.on(node).say(channel, `message ${index}`);
    for (const device of [one, other]) await device.next(({ payload }) => payload.body === 'message 3');
    await settled();
    for (const device of [one, other]) {
      const bodies = device.accepted().map(({ body }) => body);
      expect(bodies).to.deep.equal([...new Set(bodies)]);
    }
    await bob.post('/api/notifications/read-all');
    await alice.say(channel, 'something new');
    await one.next(({ payload }) => payload.body === 'something new');
  });

  it('come again with each message that is merged into an unread one, in its place, but not in a flood', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    const channel = await dm(alice, bob);
    await alice.say(channel, 'first');
    await device.next(({ payload }) => payload.body === 'first');
    await alice.say(channel, 'second');
    await device.next(({ payload }) => payload.body === 'second');
    const [since, before] = [Date.now(), device.accepted().length];
    for (let i = 0; i < 15; i++) await alice.say(channel, `flood ${i}`);
    const last = await device.next(({ payload }) => payload.body === 'flood 14');
    await settled();
    // The first of them may come at once; then as many as the time has room for.
    expect(device.accepted().length - before).to.be.at.most(2 + Math.ceil((Date.now() - since) / repeatMs));
    expect(new Set(device.accepted().map(({ id }) => id))).to.deep.equal(new Set([last.payload.id]));
    expect(new Set(device.arrived.map(({ headers }) => headers.topic)).size).to.equal(1);
    expect(await inbox(bob)).to.have.lengthOf(1);
    await bob.post('/api/notifications/read-all');
    const closing = await device.next(({ payload }) => payload.type === 'closed');
    expect(closing.payload.closed).to.deep.equal([last.payload.id]);
  });

  it('come again after one that the push service did not take, with what is new by then', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    const channel = await dm(alice, bob);
    await alice.say(channel, 'shown');
    const { payload } = await device.next(() => true);
    device.answer(503);
    await alice.say(channel, 'refused');
    await device.next(({ payload, status }) => payload.body === 'refused' && status === 503);
    device.answer(201);
    await until(() => device.accepted().some(({ body }) => body === 'refused'));
    await settled();
    expect(device.accepted().map(({ body }) => body)).to.deep.equal(['shown', 'refused']);
    await bob.post('/api/notifications/read-all');
    await device.next(({ payload: { type, closed } }) => type === 'closed' && closed[0] === payload.id);
  });

  it('are tried again when the push service is busy, and not when nobody knows whether they arrived', async () => {
    const { alice, bob, carol } = here;
    const [busy, silent] = [await subscribed(bob), await subscribed(carol)];
    busy.answer(503);
    silent.answer('hang');
    await alice.say(await dm(alice, bob), 'one');
    await alice.say(await dm(alice, carol), 'two');
    await until(() => busy.arrived.length > 0 && silent.arrived.length > 0);
    busy.answer(201);
    await until(() => busy.accepted().length === 1);
    await settled();
    expect(silent.arrived).to.have.lengthOf(1);
  });

  it('end a subscription that the push service knows no more', async () => {
    const { alice, bob, carol } = here;
    const channels = [await dm(alice, bob), await dm(alice, carol)];
    for (const [i, person] of [bob, carol].entries()) {
      const device = await subscribed(person);
      device.answer(i === 0 ? 404 : 410);
      await alice.say(channels[i] ?? '', 'anyone there?');
      await until(async () => (await subscriptions(person)).length === 0);
      expect(device.arrived).to.have.lengthOf(1);
      expect((await person.get('/api/push/subscription')).body).to.deep.equal({ subscription: null });
    }
  });

  it('end with their session, in whichever way that ends', async () => {
    const { bob, carol } = here;
    const ways: ((session: Person) => Promise<unknown>)[] = [
      (session) => session.post('/api/auth/logout'),
      async (session) => bob.delete(`/api/auth/sessions/${await idOf(session)}`),
      () => bob.put('/api/auth/password', { currentPassword: 'correct horse', newPassword: 'correct horse' }),
      async (session) =>
        query(cluster.databaseUrl, 'UPDATE sessions SET revoked_at = now() WHERE id = $1', [await idOf(session)]),
    ];
    for (const way of ways) {
      const session = await again(bob);
      await subscribed(session);
      expect(await subscriptions(bob)).to.have.lengthOf(1);
      await way(session);
      expect(await subscriptions(bob)).to.have.lengthOf(0);
    }
    await subscribed(carol);
    const [session] = (await carol.get('/api/auth/sessions')).body;
    await query(cluster.databaseUrl, 'DELETE FROM sessions WHERE id = $1', [session.id]);
    expect(await subscriptions(carol)).to.have.lengthOf(0);
  });
  const idOf = async (session: Person): Promise<string> =>
    (await session.get('/api/auth/sessions')).body.find(({ current }: Loose) => current).id;

  it('do not go to the suspended, nor to sessions whose time is over', async () => {
    const { alice, bob, carol } = here;
    const [to, outdated] = [await subscribed(bob), await subscribed(carol)];
    const channels = [await dm(alice, bob), await dm(alice, carol)];
    await query(cluster.databaseUrl, 'UPDATE users SET suspended_at = now() WHERE id = $1', [bob.id]);
    await query(cluster.databaseUrl, 'UPDATE sessions SET refresh_expires_at = now() WHERE user_id = $1', [carol.id]);
    for (const channel of channels) await alice.say(channel, 'unheard');
    const made = 'SELECT FROM notifications WHERE user_id = ANY($1::uuid[])';
    await until(async () => (await query(cluster.databaseUrl, made, [[bob.id, carol.id]])).length === 2);
    await settled();
    expect([...to.arrived, ...outdated.arrived]).to.deep.equal([]);
  });

  it('wait while a device is active on any node, and come once it is not, unless that was read', async () => {
    const { alice, bob } = here;
    const channel = await dm(alice, bob);
    const device = await subscribed(await again(bob));
    const sockets = await Promise.all(cluster.nodes.map((node) => bob.on(node).connect()));
    for (const socket of sockets) await socket.emit('presence:active', { active: true });
    await alice.say(channel, 'seen');
    const [seen] = await until(async () => ((await inbox(bob)).length === 1 ? inbox(bob) : undefined));
    await until(() => isWaiting(seen?.id));
    await bob.post('/api/notifications/read-all');
    await until(async () => !(await isWaiting(seen?.id)));
    await alice.say(channel, 'left alone');
    await until(async () => (await inbox(bob)).length === 2);
    const [left] = await inbox(bob);
    await until(() => isWaiting(left?.id));
    const [first, second] = sockets;
    expect(await first?.emit('presence:active', { active: false })).to.deep.include({ ok: true });
    await until(() => isWaiting(left?.id));
    expect(device.arrived).to.deep.equal([]);
    second?.close();
    expect((await device.next(() => true)).payload).to.include({ id: left?.id, body: 'left alone', unreadCount: 1 });
    expect(device.arrived).to.have.lengthOf(1);
  });

  it('do not come any more of whom someone has blocked, or muted, while they waited', async () => {
    const { alice, bob, channel: shared } = here;
    const channel = await dm(alice, bob);
    const device = await subscribed(await again(bob));
    const socket = await bob.connect();
    await socket.emit('presence:active', { active: true });
    await alice.say(channel, 'of a blocked one');
    await alice.say(shared.id, `@${bob.username} in a muted place`);
    const waiting = await until(async () => ((await inbox(bob)).length === 2 ? inbox(bob) : undefined));
    for (const { id } of waiting) await until(() => isWaiting(id));
    await bob.put(`/api/friends/blocks/${alice.id}`);
    await bob.patch('/api/notifications/preferences', { mutedChannelIds: [shared.id] });
    await socket.emit('presence:active', { active: false });
    for (const { id } of waiting) await until(async () => !(await isWaiting(id)));
    expect(device.arrived).to.deep.equal([]);
  });

  it('come though a client is connected that tells nothing, unless it was used in the last minutes', async () => {
    const { alice, bob } = here;
    const channel = await dm(alice, bob);
    const device = await subscribed(await again(bob));
    const silent = await again(bob);
    const socket = await silent.connect();
    for (const path of ['/api/notifications', `/api/channels/${channel}/messages`]) await silent.get(path);
    const reads = {
      '/api/media/outside-links': { urls: ['https://example.com/picture.png'] },
      '/api/mentions/resolve': { channelId: channel, content: `@${alice.username}` },
      [`/api/servers/${here.server.id}/workspace/children/batch`]: { parentIds: [null] },
    };
    for (const [path, body] of Object.entries(reads)) expect((await silent.post(path, body)).status).to.equal(200);
    expect((await socket.emit('channel:join', { channelId: channel })).ok).to.equal(true);
    await alice.say(channel, 'unseen');
    const { payload } = await device.next(() => true);
    // On whichever node.
    for (const node of cluster.nodes) await silent.on(node).post('/api/notifications/read-all');
    await device.next(({ payload: { closed } }) => closed[0] === payload.id);
    await alice.say(channel, 'seen');
    await until(async () => (await inbox(bob)).length === 2);
    const [seen] = await inbox(bob);
    await until(() => isWaiting(seen?.id));
    // It says at last that nobody looks.
    await socket.emit('presence:active', { active: false });
    await device.next(({ payload: { id } }) => id === seen?.id);
    socket.close();
  });

  it('do not come to those who do not want to be disturbed', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    const socket = await bob.connect();
    await socket.emit('presence:update', { status: 'dnd' });
    socket.close();
    await alice.say(await dm(alice, bob), 'psst');
    await until(async () => (await inbox(bob)).length === 1);
    await settled();
    expect(device.arrived).to.deep.equal([]);
  });

  it('are taken back when it is read elsewhere, or gone, where browsers allow it', async () => {
    const { alice, bob, channel } = here;
    const device = await subscribed(bob);
    const said = await alice.say(channel.id, `@${bob.username} one`);
    const shown = await device.next(() => true);
    await bob.put(`/api/channels/${channel.id}/read`, { messageId: said.id });
    const closing = await device.next(({ payload }) => payload.type === 'closed');
    expect(closing.payload).to.deep.equal({ type: 'closed', closed: [shown.payload.id], unreadCount: 0 });
    // On a device that was away it takes the place of what it takes back.
    expect(closing.headers.topic).to.equal(shown.headers.topic);
    const other = await alice.say(channel.id, `@${bob.username} two`);
    const { payload } = await device.next(({ payload }) => payload.body?.endsWith('two'));
    await alice.delete(`/api/messages/${other.id}`);
    await until(() => device.accepted('closed').some(({ closed }) => closed.includes(payload.id)));
  });

  it('take back with the next of them what browsers do not allow to be taken back alone', async () => {
    const { alice, bob, channel } = here;
    const device = await subscribed(bob);
    await query(cluster.databaseUrl, 'UPDATE push_subscriptions SET silent_pushes = 3 WHERE user_id = $1', [bob.id]);
    await alice.say(channel.id, `@${bob.username} one`);
    const shown = await device.next(() => true);
    await bob.post('/api/notifications/read-all');
    await settled();
    await alice.say(channel.id, `@${bob.username} two`);
    const next = await device.next(({ payload }) => payload.body?.endsWith('two'));
    expect(next.payload.closed).to.deep.equal([shown.payload.id]);
    expect(device.accepted('closed')).to.deep.equal([]);
    // The device was here.
    await device.subscribe(bob);
    await bob.post('/api/notifications/read-all');
    await device.next(({ payload }) => payload.type === 'closed' && payload.closed[0] === next.payload.id);
  });

  it('say nothing but that there is something, to those who want no preview', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    const socket = await bob.connect();
    expect((await bob.get('/api/push/preferences')).body).to.deep.equal({ preview: true });
    expect((await bob.patch('/api/push/preferences', { preview: false })).body).to.deep.equal({ preview: false });
    expect(await socket.next('push:preferences')).to.include({ preview: false });
    socket.close();
    await alice.say(await dm(alice, bob), 'a secret');
    const { payload } = await device.next(() => true);
    expect(payload).to.include({ title: 'Parley', body: 'New message' });
    expect(JSON.stringify(payload)).to.not.contain('secret').and.not.contain(alice.username);
  });

  it('can be tried out, also while one is active', async () => {
    const { bob } = here;
    expectError(await bob.post('/api/push/test'), 'PUSH_SUBSCRIPTION_NOT_FOUND');
    const socket = await bob.connect();
    const device = await subscribed(bob);
    expect((await bob.post('/api/push/test')).status).to.equal(200);
    expect((await device.next(() => true)).payload).to.include({ type: 'test', title: 'Parley' });
    socket.close();
  });

  it('go to one session of a browser, and to none after it said so', async () => {
    const { alice, bob, carol } = here;
    const device = await subscribed(bob);
    const { subscription } = (await bob.get('/api/push/subscription')).body;
    expect(subscription).to.include({ endpoint: device.endpoint });
    await device.subscribe(carol);
    expect((await bob.get('/api/push/subscription')).body).to.deep.equal({ subscription: null });
    await alice.say(await dm(alice, bob), 'not for her');
    expect((await carol.delete('/api/push/subscription')).body).to.deep.equal({ ok: true, success: true });
    expect((await carol.delete('/api/push/subscription')).status).to.equal(200);
    await alice.say(await dm(alice, carol), 'not any more');
    await until(async () => (await inbox(carol)).length === 1 && (await inbox(bob)).length === 1);
    await settled();
    expect(device.arrived).to.deep.equal([]);
  });

  it('go to no private address, no program, and no key that is none', async () => {
    const { bob } = here;
    const { subscription } = service.device();
    const put = (change: object) => bob.put('/api/push/subscription', { ...subscription, ...change });
    for (const endpoint of ['https://127.0.0.1/x', 'https://10.0.0.1/x', 'http://example.com/x', 'https://[::1]/x']) {
      expectError(await put({ endpoint }), 'UNSAFE_URL');
    }
    const { keys } = subscription;
    const bad = [
      { p256dh: Buffer.alloc(65, 4).toString('base64url') },
      { p256dh: 'short' },
      { auth: keys.auth.slice(1) },
      { auth: `${keys.auth}A` },
    ];
    for (const change of bad) expectError(await put({ keys: { ...keys, ...change } }), 'VALIDATION_FAILED');
    for (const endpoint of ['nowhere', `https://example.com/${'x'.repeat(2000)}`])
      expectError(await put({ endpoint }), 'VALIDATION_FAILED');
    const { token } = (await bob.post('/api/tokens', { name: 'x', scope: 'user:write' })).body;
    const program = await bob.put('/api/push/subscription', subscription, { authorization: `Bearer ${token}` });
    expectError(program, 'INSUFFICIENT_PAT_SCOPE');
    const agent = (await bob.post('/api/agents', { name: `${bob.username}bot` })).body;
    const bot = await bob.put('/api/push/subscription', subscription, { authorization: `Bearer ${agent.token}` });
    expectError(bot, 'FORBIDDEN');
  });

  it('are not sent by a server that is told so, or has another key by now', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    await query(cluster.databaseUrl, `UPDATE push_subscriptions SET server_key = 'former' WHERE user_id = $1`, [
      bob.id,
    ]);
    await alice.say(await dm(alice, bob), 'unsigned');
    await until(async () => (await subscriptions(bob)).length === 0);
    expect(device.arrived).to.deep.equal([]);
    const off = await startCluster({ nodes: 1, settings: { pushKeys: null } });
    const there = await world(off);
    expectError(await there.bob.get('/api/push/key'), 'PUSH_OFF');
    expectError(await there.bob.put('/api/push/subscription', device.subscription), 'PUSH_OFF');
    there.close();
    await off.stop();
  });

  it('are counted', async () => {
    const { alice, bob } = here;
    const device = await subscribed(bob);
    await alice.say(await dm(alice, bob), 'one more');
    await device.next(() => true);
    const sent = async () => {
      const texts = await Promise.all(cluster.nodes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      return texts.reduce(
        (sum, text) => sum + Number(/parley_pushes_total\{outcome="sent"\} (\d+)/.exec(text)?.[1]),
        0,
      );
    };
    await until(async () => (await sent()) > 0);
  });
});
