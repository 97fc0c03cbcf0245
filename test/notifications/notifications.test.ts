// nodes: one and two

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { forgetRead } from '../../src/features/notifications/forget-read.ts';
import { until } from '../rig/until.ts';
import type { Answer, Loose, Person } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

const open = async (from: Person, to: Person) => (await from.post('/api/dm/channels', { userId: to.id })).body;
const unread = async (person: Person) => (await person.get('/api/notifications/unread-count')).body.count;
const list = async (person: Person, query = '') => (await person.get(`/api/notifications${query}`)).body;

/** Waits until all that was to be told is told: jobs are done in the order in which they were made. */
const settled = (person: Person, count: number) =>
  until(async () => (await unread(person)) >= count, { message: `not ${count} unread` });

describe('notifications', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  /** Two people with a DM, on two nodes where there are two. */
  async function pair(): Promise<{ ann: Person; ben: Person; dm: Loose }> {
    const [ann, ben] = [await register(here.alice.node), await register(here.bob.node)];
    return { ann, ben, dm: await open(ann, ben) };
  }

  it('of a DM come to all devices of the other person, and to nobody else', async () => {
    const { ann, ben, dm } = await pair();
    const [phone, laptop, own] = [await ben.connect(), await ben.on(ann.node).connect(), await ann.connect()];
    const sent = await ann.say(dm.id, 'are you there?');
    const told = await phone.next('notification:new');
    expect(told).to.include({ userId: ben.id, type: 'dm', kind: 'dm.message', isRead: false, readAt: null });
    expect(told).to.include({ referenceType: 'message', referenceId: sent.id, channelId: dm.id, serverId: null });
    expect(told).to.include({ senderId: ann.id, body: 'are you there?', aggregatedCount: 1 });
    expect(told.sender).to.include({ id: ann.id, username: ann.username });
    expect(await laptop.next('notification:new')).to.deep.equal(told);
    const { eventSeq, ...record } = told;
    expect(eventSeq).to.be.a('number');
    expect(await list(ben)).to.deep.equal([record]);
    expect(await list(ann)).to.deep.equal([]);
    expect(own.all('notification:new')).to.deep.equal([]);
    for (const ear of [phone, laptop, own]) ear.close();
  });

  it('put repeats of five minutes together, until they are read', async () => {
    const { ann, ben, dm } = await pair();
    const ear = await ben.connect();
    for (const text of ['one', 'two', 'three']) await ann.say(dm.id, text);
    await until(async () => (await list(ben))[0]?.aggregatedCount === 3);
    const [only, ...others] = await list(ben);
    expect(others).to.deep.equal([]);
    expect(only.body).to.equal('three');
    expect(await unread(ben)).to.equal(1);
    // How many events it takes depends on how many were made at once.
    const events = () => [...ear.all('notification:new'), ...ear.all('notification:updated')];
    await until(() => events().at(-1)?.aggregatedCount === 3, { message: 'the device does not know' });
    expect(events().map(({ id }) => id)).to.deep.equal(events().map(() => only.id));
    expect(ear.all('notification:new')).to.have.length(1);
    await ben.patch(`/api/notifications/${only.id}/read`);
    await ann.say(dm.id, 'four');
    await settled(ben, 1);
    const [newest, read] = await list(ben);
    expect(newest).to.include({ body: 'four', aggregatedCount: 1, isRead: false });
    expect(read).to.include({ id: only.id, isRead: true });
    ben.hangUp();
  });

  it('have titles in which no name turns around what follows it', async () => {
    const { ann, ben, dm } = await pair();
    const displayName = '\u202eAnn\u2066 \u05d0\u200f';
    // As an earlier version took it.
    await query(here.cluster.databaseUrl, 'UPDATE users SET display_name = $2 WHERE id = $1', [ann.id, displayName]);
    await ann.post('/api/friends/request', { username: ben.username });
    for (const text of ['one', 'two']) {
      await ann.say(dm.id, text);
      await until(async () => (await list(ben))[0]?.body === text);
    }
    await settled(ben, 2);
    const titles = (await list(ben)).map(({ title }: Loose) => title);
    expect(titles).to.deep.equal(['Ann \u05d0', 'Ann \u05d0 wants to be friends with you']);
  });

  it('are read on a phone, and the laptop knows', async () => {
    const { ann, ben, dm } = await pair();
    const [phone, laptop] = [await ben.connect(), await ben.on(ann.node).connect()];
    await ann.say(dm.id, 'hello');
    const told = await phone.next('notification:new');
    const read = await ben.patch(`/api/notifications/${told.id}/read`);
    expect(read.body).to.include({ id: told.id, isRead: true });
    expect(read.body.readAt).to.be.a('string');
    for (const device of [phone, laptop]) {
      expect(await device.next('notification:read')).to.deep.include({ ids: [told.id], unreadCount: 0 });
    }
    expect((await ben.patch(`/api/notifications/${told.id}/read`)).body).to.deep.equal(read.body);
    expect((await ann.patch(`/api/notifications/${told.id}/read`)).body.code).to.equal('NOTIFICATION_NOT_FOUND');
    expect((await ben.patch(`/api/notifications/${randomUUID()}/read`)).status).to.equal(404);
    expect((await ben.patch('/api/notifications/7/read')).status).to.equal(404);
    expect(laptop.all('notification:read')).to.have.length(1);
    for (const device of [phone, laptop]) device.close();
  });

  it('go a while after they were read, and no unread ones with them', async () => {
    const { ann, ben, dm } = await pair();
    await ann.say(dm.id, 'old');
    await settled(ben, 1);
    await ben.post('/api/notifications/read-all');
    await ann.say(dm.id, 'read lately');
    await settled(ben, 1);
    await ben.post('/api/notifications/read-all');
    await ann.say(dm.id, 'unread');
    await settled(ben, 1);
    await withRows(here.cluster.databaseUrl, async (rows) => {
      const age = "UPDATE notifications SET read_at = read_at - interval '91 days' WHERE user_id = $1 AND body = 'old'";
      await rows(age, [ben.id]);
      expect(await forgetRead(90).step(rows)).to.equal(1);
      expect(await forgetRead(90).step(rows)).to.equal(0);
    });
    expect((await list(ben)).map((notification: Loose) => notification.body)).to.deep.equal(['unread', 'read lately']);
  });

  it('tell of requests and new friends', async () => {
    const [ann, ben] = [await register(here.alice.node), await register(here.bob.node)];
    const { id } = (await ann.post('/api/friends/request', { username: ben.username })).body;
    await settled(ben, 1);
    const [asked] = await list(ben);
    expect(asked).to.include({ type: 'system', kind: 'friendship.request', senderId: ann.id, channelId: null });
    expect(asked).to.include({ referenceType: 'friendship', referenceId: id });
    await ben.post(`/api/friends/${id}/accept`);
    await settled(ann, 1);
    expect((await list(ann))[0]).to.include({ kind: 'friendship.accepted', senderId: ben.id, referenceId: id });
  });

  it('of a request count as read on all devices once it is answered, and do not come late', async () => {
    const ben = await register(here.bob.node);
    const ear = await ben.connect();
    const answers: ((id: string, asker: Person) => Promise<Answer>)[] = [
      (id) => ben.post(`/api/friends/${id}/reject`),
      (id) => ben.post(`/api/friends/${id}/accept`),
      (_, asker) => ben.post('/api/friends/request', { username: asker.username }),
    ];
    const ask = async () => {
      const asker = await register(here.alice.node);
      return { asker, id: (await asker.post('/api/friends/request', { username: ben.username })).body.id };
    };
    for (const answer of answers) {
      const { asker, id } = await ask();
      const asked = await until(async () => (await list(ben, '?unread=true'))[0]);
      expect(asked).to.include({ kind: 'friendship.request', senderId: asker.id });
      await answer(id, asker);
      expect(await unread(ben)).to.equal(0);
      const told = await ear.next('notification:read', ({ ids }) => ids.includes(asked.id));
      expect(told).to.deep.include({ ids: [asked.id], unreadCount: 0 });
    }
    for (const answer of answers) {
      const { asker, id } = await ask();
      await answer(id, asker);
    }
    const last = await ask();
    await until(async () => (await list(ben)).some(({ senderId }: Loose) => senderId === last.asker.id));
    expect(await unread(ben)).to.equal(1);
    ear.close();
  });

  it('of a request that was taken back count no longer, and do not come late', async () => {
    const [ann, ben] = [await register(here.alice.node), await register(here.bob.node)];
    const ask = async () => (await ann.post('/api/friends/request', { username: ben.username })).body.id;
    const ear = await ben.connect();
    const id = await ask();
    await settled(ben, 1);
    const [{ id: asked }] = await list(ben);
    expect((await ann.delete(`/api/friends/${id}`)).status).to.equal(200);
    expect(await unread(ben)).to.equal(0);
    expect(await ear.next('notification:read')).to.deep.include({ ids: [asked], unreadCount: 0 });
    ear.close();
    for (let round = 0; round < 5; round++) await ann.delete(`/api/friends/${await ask()}`);
    await ann.post('/api/dm/channels', { userId: ben.id }).then(({ body }) => ann.say(body.id, 'after all that'));
    const kinds = async () => (await list(ben, '?unread=true')).map(({ kind }: Loose) => kind);
    await until(async () => (await kinds()).includes('dm.message'));
    expect(await kinds()).to.deep.equal(['dm.message']);
  });

  it('are listed page by page, and only the unread ones where asked', async () => {
    const ben = await register(here.bob.node);
    const dms: string[] = [];
    for (let i = 0; i < 4; i++) {
      const other = await register(here.alice.node);
      const dm = await open(other, ben);
      await other.say(dm.id, `${i}`);
      await settled(ben, i + 1);
      dms.unshift(dm.id);
    }
    const channels = (notifications: Loose[]) => notifications.map(({ channelId }) => channelId);
    expect(channels(await list(ben))).to.deep.equal(dms);
    expect(channels(await list(ben, '?limit=2&offset=1'))).to.deep.equal(dms.slice(1, 3));
    await ben.post('/api/notifications/read-scope', { channelId: dms[0] });
    expect(channels(await list(ben, '?unread=true'))).to.deep.equal(dms.slice(1));
    for (const bad of ['limit=0', 'limit=101', 'offset=-1', 'offset=x', 'unread=maybe']) {
      expect((await ben.get(`/api/notifications?${bad}`)).status, bad).to.equal(400);
    }
  });

  it('are read by scope and all at once', async () => {
    const { ann, ben, dm } = await pair();
    const carl = await register(here.alice.node);
    const other = await open(carl, ben);
    await ann.say(dm.id, 'a');
    await carl.say(other.id, 'c');
    await settled(ben, 2);
    const ear = await ben.connect();
    const scoped = await ben.post('/api/notifications/read-scope', { channelId: dm.id });
    expect(scoped.body).to.deep.equal({ ok: true, updated: 1 });
    expect(await ear.next('notification:read')).to.deep.include({
      scope: { serverId: null, channelId: dm.id },
      unreadCount: 1,
    });
    expect((await ben.post('/api/notifications/read-scope', { serverId: randomUUID() })).body.updated).to.equal(0);
    expect((await ben.post('/api/notifications/read-scope', {})).body.code).to.equal('VALIDATION_FAILED');
    expect((await ben.post('/api/notifications/read-scope', { channelId: 'x' })).status).to.equal(400);
    expect((await ben.post('/api/notifications/read-all')).body).to.deep.equal({ ok: true, updated: 1 });
    await ear.next('notification:read', (event) => event.unreadCount === 0);
    expect((await ben.post('/api/notifications/read-all')).body.updated).to.equal(0);
    expect(ear.all('notification:read')).to.have.length(2);
    ben.hangUp();
  });

  describe('preferences', () => {
    it('begin with everything, and change field by field', async () => {
      const ben = await register(here.bob.node);
      const path = '/api/notifications/preferences';
      const initial = { strategy: 'all', mutedServerIds: [], mutedChannelIds: [] };
      expect((await ben.get(path)).body).to.deep.equal(initial);
      const channelId = randomUUID();
      const muted = await ben.patch(path, { mutedChannelIds: [channelId, channelId.toUpperCase()] });
      expect(muted.body).to.deep.equal({ ...initial, mutedChannelIds: [channelId] });
      expect((await ben.patch(path, { strategy: 'none' })).body).to.deep.equal({ ...muted.body, strategy: 'none' });
      expect((await ben.get(path)).body).to.deep.equal({ ...muted.body, strategy: 'none' });
      expect((await ben.patch(path, { strategy: 'some' })).status).to.equal(400);
      expect((await ben.patch(path, { mutedServerIds: ['x'] })).status).to.equal(400);
      expect((await ben.patch(path, { mutedServerIds: 'x' })).status).to.equal(400);
    });

    it('mute a channel on all nodes from the answer on, and hide nothing older', async () => {
      const { ann, ben, dm } = await pair();
      await ann.say(dm.id, 'before');
      await settled(ben, 1);
      await ben.patch('/api/notifications/preferences', { mutedChannelIds: [dm.id] });
      for (let i = 0; i < 5; i++) await ann.say(dm.id, `muted ${i}`);
      // Something that comes through, sent behind them, says that they are done with.
      await ann.post('/api/friends/request', { username: ben.username });
      await settled(ben, 2);
      const [request, older] = await list(ben);
      expect(request.kind).to.equal('friendship.request');
      expect(older).to.include({ body: 'before', aggregatedCount: 1 });
      expect(await unread(ben)).to.equal(2);
    });

    it('of `none` let only system notifications through', async () => {
      const { ann, ben, dm } = await pair();
      await ben.patch('/api/notifications/preferences', { strategy: 'none' });
      await ann.say(dm.id, 'unheard');
      await ann.post('/api/friends/request', { username: ben.username });
      await settled(ben, 1);
      expect((await list(ben)).map(({ kind }: Loose) => kind)).to.deep.equal(['friendship.request']);
      await ben.patch('/api/notifications/preferences', { strategy: 'mention_only' });
      await ann.say(dm.id, 'heard');
      await settled(ben, 2);
    });
  });

  it('have counts that hold after two hundred random operations', async () => {
    const ben = await register(here.bob.node);
    const others = await Promise.all([0, 1, 2].map(() => register(here.alice.node)));
    const rooms: { person: Person; id: string; muted: boolean; open: boolean }[] = [];
    for (const person of others) rooms.push({ person, id: (await open(person, ben)).id, muted: false, open: false });
    const client = new pg.Client(here.cluster.databaseUrl);
    await client.connect();
    const jobs = async () => (await client.query('SELECT FROM notification_jobs')).rowCount;
    let random = 42;
    const pick = (n: number) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return Math.floor((random / 2147483648) * n);
    };
    const compare = async () => {
      const model = Object.fromEntries(rooms.filter((room) => room.open).map((room) => [room.id, 1]));
      await until(async () => (await unread(ben)) === Object.keys(model).length, { message: 'the count is wrong' });
      const scoped = (await ben.get('/api/notifications/scoped-unread')).body;
      expect(scoped).to.deep.equal({ servers: [], channelUnread: {}, serverUnread: {}, dmUnread: model });
      expect(await list(ben, '?unread=true')).to.have.length(Object.keys(model).length);
    };
    for (let i = 0; i < 200; i++) {
      const room = rooms[pick(rooms.length)];
      if (!room) throw new Error('no room');
      const what = pick(10);
      if (what < 5) {
        await room.person.say(room.id, `${i}`);
        if (!room.muted) room.open = true;
        // What is made of it is decided now, not by what Ben wants to hear of later.
        await until(async () => (await jobs()) === 0, { message: 'the work is not done' });
      } else if (what < 7) {
        await ben.post('/api/notifications/read-scope', { channelId: room.id });
        room.open = false;
      } else if (what < 8) {
        await ben.post('/api/notifications/read-all');
        for (const each of rooms) each.open = false;
      } else {
        room.muted = !room.muted;
        const mutedChannelIds = rooms.filter((each) => each.muted).map((each) => each.id);
        await ben.patch('/api/notifications/preferences', { mutedChannelIds });
      }
      if (i % 10 === 9) await compare();
    }
    await compare();
    await client.end();
  });
});
