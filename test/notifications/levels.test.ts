// nodes: one and two

import { expect } from 'chai';
import { expectError } from '../rest/verdict.ts';
import { until } from '../rig/until.ts';
import type { Loose, Person } from '../world/person.ts';
import { overtaken, query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('what someone is notified of in a channel', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const list = async (person: Person) => (await person.get('/api/notifications')).body;
  const told = (person: Person, message: Loose): Promise<Loose> =>
    until(async () => (await list(person)).find(({ referenceId }: Loose) => referenceId === message.id), {
      message: 'not notified',
    });
  const set = (person: Person, level: string | null, id = here.channel.id) =>
    person.put(`/api/channels/${id}/notification-level`, { level });
  /** Whom messages notify is decided when notifications are made. */
  const made = () =>
    until(async () => {
      const waiting = "SELECT FROM jobs WHERE kind IN ('notification', 'message-audience')";
      return (await query(here.cluster.databaseUrl, waiting)).length === 0;
    });
  const level = async (person: Person) =>
    (await person.get(`/api/channels/${here.channel.id}/notification-level`)).body.level;

  it('is every message with `all`, whatever the strategy says elsewhere', async () => {
    const { alice, bob, channel } = here;
    await bob.patch('/api/notifications/preferences', { strategy: 'none' });
    const before = await alice.say(channel.id, `@${bob.username} unheard`);
    await made();
    expect((await set(bob, 'all')).body).to.deep.equal({ channelId: channel.id, level: 'all' });
    const plain = await alice.say(channel.id, 'nothing in particular');
    expect(await told(bob, plain)).to.include({ kind: 'channel.message', type: 'message', body: plain.content });
    const named = await alice.say(channel.id, `@${bob.username} and this`);
    expect(await told(bob, named)).to.include({ kind: 'message.mention' });
    await bob.say(channel.id, 'my own');
    const all = (await list(bob)).map(({ referenceId }: Loose) => referenceId);
    expect(all).to.not.include(before.id);
    expect((await list(alice)).filter(({ kind }: Loose) => kind === 'channel.message')).to.deep.equal([]);
  });

  it('is what names and answers them with `mentions`, nothing with `nothing`, and as elsewhere without', async () => {
    const { alice, bob, channel } = here;
    const [parent, other] = [await alice.say(channel.id, 'a story'), await bob.say(channel.id, 'mine')];
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    const aside = async (content: string) => (await alice.post(`/api/threads/${thread.id}/messages`, { content })).body;
    await bob.post(`/api/threads/${thread.id}/messages`, { content: 'I take part' });
    await set(bob, 'mentions');
    await aside('only for who wants all');
    await made();
    const answer = await alice.say(channel.id, 'answer', { replyToId: other.id });
    await told(bob, answer);
    await set(bob, 'nothing');
    expect(await level(bob)).to.equal('nothing');
    expect((await bob.get('/api/notifications/preferences')).body.mutedChannelIds).to.deep.equal([channel.id]);
    await alice.say(channel.id, `@${bob.username} hush`);
    await made();
    await set(bob, null);
    expect((await bob.get('/api/notifications/preferences')).body.mutedChannelIds).to.deep.equal([]);
    const last = await aside('heard again');
    await told(bob, last);
    expect((await list(bob)).map(({ referenceId }: Loose) => referenceId)).to.deep.equal([last.id, answer.id]);
  });

  it('is one with the muted channels of the preferences, which all devices hear of', async () => {
    const { bob, channel } = here;
    const ear = await bob.connect();
    await set(bob, 'mentions');
    expect(await ear.next('notification:preferences')).to.deep.include({ channelLevels: { [channel.id]: 'mentions' } });
    await bob.patch('/api/notifications/preferences', { mutedChannelIds: [channel.id] });
    expect(
      await ear.next('notification:preferences', ({ mutedChannelIds }) => mutedChannelIds.length === 1),
    ).to.deep.include({ channelLevels: {} });
    expect(await level(bob)).to.equal('nothing');
    await bob.patch('/api/notifications/preferences', { mutedChannelIds: [] });
    expect(await level(bob)).to.equal('mentions');
    expect((await bob.get('/api/notifications/levels')).body).to.deep.equal({
      channelLevels: { [channel.id]: 'mentions' },
      serverLevels: {},
    });
    expect((await bob.get('/api/notifications/preferences')).body).to.have.all.keys(
      'strategy',
      'mutedServerIds',
      'mutedChannelIds',
    );
  });

  it('is every message also for one who chooses it as the last other one gives it up', async () => {
    const { alice, bob, channel, cluster } = here;
    await set(bob, 'all');
    const given = {
      lock: 'DELETE FROM channel_levels WHERE channel_id = $1',
      change: 'SELECT $1::uuid',
      id: channel.id,
    };
    expect((await overtaken(cluster.databaseUrl, given, () => set(alice, 'all'))).status).to.equal(200);
    await told(alice, await bob.say(channel.id, 'for those who want everything'));
  });

  it('is nothing of a muted server, and of a channel that is out of sight', async () => {
    const { alice, bob, carol, channel, server } = here;
    await set(bob, 'all');
    await bob.patch('/api/notifications/preferences', { mutedServerIds: [server.id] });
    await alice.say(channel.id, 'one');
    await made();
    await bob.patch('/api/notifications/preferences', { mutedServerIds: [] });
    await alice.delete(`/api/channels/${channel.id}/members/${bob.id}`);
    await alice.say(channel.id, 'two');
    await made();
    expectError(await set(bob, 'mentions'), 'NOT_A_MEMBER');
    expectError(await set(carol, 'all'), 'CHANNEL_NOT_FOUND');
    await alice.post(`/api/channels/${channel.id}/members`, { userId: bob.id });
    const three = await alice.say(channel.id, 'three');
    await told(bob, three);
    const ofChannel = (await list(bob)).filter(({ kind }: Loose) => kind === 'channel.message');
    expect(ofChannel.map(({ referenceId, aggregatedCount }: Loose) => [referenceId, aggregatedCount])).to.deep.equal([
      [three.id, 1],
    ]);
  });
});

describe('reading a channel', () => {
  let here: World;
  beforeEach(async () => {
    here = await world();
  });
  afterEach(() => here.close());

  const unread = async (person: Person) => (await person.get('/api/notifications/unread-count')).body.count;

  it('settles what notified of it up to there, in the same change, and leaves the rest', async () => {
    const { alice, bob, channel } = here;
    const elsewhere = await here.newChannel();
    const first = await alice.say(channel.id, `@${bob.username} one`);
    await until(async () => (await unread(bob)) === 1);
    const answer = await alice.say(channel.id, 'two', { replyToId: (await bob.say(channel.id, 'my own')).id });
    await alice.say(elsewhere, `@${bob.username} elsewhere`);
    await until(async () => (await unread(bob)) === 3);
    const ear = await bob.connect();
    await bob.put(`/api/channels/${channel.id}/read`, { messageId: first.id });
    expect((await ear.next('notification:read')).unreadCount).to.equal(2);
    await bob.put(`/api/channels/${channel.id}/read`, { messageId: answer.id });
    expect(await unread(bob)).to.equal(1);
  });

  it('settles what was left there before, though the pointer does not move', async () => {
    const { alice, bob, channel, cluster } = here;
    const message = await alice.say(channel.id, `@${bob.username} one`);
    await until(async () => (await unread(bob)) === 1);
    await query(
      cluster.databaseUrl,
      `UPDATE channel_reads SET last_read_seq = ${message.seq} WHERE channel_id = '${channel.id}' AND user_id = '${bob.id}'`,
    );
    const ear = await bob.connect();
    expect((await bob.put(`/api/channels/${channel.id}/read`, { seq: message.seq })).status).to.equal(200);
    expect(await ear.next('notification:read')).to.include({ unreadCount: 0 });
    expect(ear.all('channel:read')).to.deep.equal([]);
  });

  it('leaves questions open that await an answer', async () => {
    const { alice, bob, server } = here;
    const secret = { name: 'secret', isPrivate: true };
    const { id } = (await alice.post(`/api/servers/${server.id}/channels`, secret)).body;
    await bob.post(`/api/channels/${id}/join-requests`, {});
    const asked = () => alice.get('/api/notifications?unread=true');
    const isAsked = async () => (await asked()).body.some(({ kind }: Loose) => kind === 'channel.join_request');
    await until(isAsked);
    await alice.say(id, 'one');
    await alice.put(`/api/channels/${id}/read`, { seq: 100 });
    expect(await isAsked()).to.equal(true);
  });

  it('ahead of what notifies of it leaves nothing to notify of', async () => {
    const { alice, bob, channel, cluster } = here;
    const read = await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [bob.id]);
      await alice.say(channel.id, `@${bob.username} one`);
      const message = await alice.say(channel.id, `@${bob.username} two`);
      // The pointer alone: the change itself waits for the log.
      await rows(
        `INSERT INTO channel_reads (channel_id, user_id, last_read_seq) VALUES ($1, $2, $3)
         ON CONFLICT (channel_id, user_id) DO UPDATE SET last_read_seq = excluded.last_read_seq`,
        [channel.id, bob.id, message.seq],
      );
      await rows('COMMIT');
      return message;
    });
    const next = await alice.say(channel.id, `@${bob.username} three`);
    await until(async () => (await unread(bob)) > 0);
    const [only, ...others] = (await bob.get('/api/notifications')).body;
    expect([only.referenceId, only.aggregatedCount, others.length]).to.deep.equal([next.id, 1, 0]);
    expect(read.seq).to.be.lessThan(next.seq);
  });

  it('ends where someone marks a message as unread, on all devices', async () => {
    const { alice, bob, channel } = here;
    const sent = [];
    for (const text of ['one', 'two', 'three']) sent.push(await alice.say(channel.id, text));
    const [first, second, third] = sent;
    await bob.put(`/api/channels/${channel.id}/read`, { seq: third.seq });
    const ears = [await bob.connect(), await bob.on(alice.node).connect()];
    const { status, body } = await bob.post(`/api/messages/${second.id}/unread`);
    const state = { channelId: channel.id, lastReadSeq: second.seq - 1, unreadCount: 2 };
    expect([status, body]).to.deep.equal([200, { ...state, threadId: null }]);
    for (const ear of ears) expect(await ear.next('channel:read')).to.deep.include({ ...state, back: true });
    expect((await bob.get(`/api/channels/${channel.id}`)).body).to.include({
      lastReadSeq: second.seq - 1,
      unreadCount: 2,
    });
    // What is unread already is not read by that.
    await bob.post(`/api/messages/${third.id}/unread`);
    expect((await bob.get(`/api/channels/${channel.id}`)).body.unreadCount).to.equal(2);
    await bob.put(`/api/channels/${channel.id}/read`, { messageId: first.id });
    expect((await bob.put(`/api/channels/${channel.id}/read`, { seq: third.seq })).body.unreadCount).to.equal(0);
  });
});
