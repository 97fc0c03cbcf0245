import { expect } from 'chai';
import { grow, keepFor } from '../retention/aged.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { register, type World, world } from '../world/world.ts';

describe('threads with many followers, and of earlier versions', () => {
  let here: World;
  let thread: Loose;
  beforeEach(async () => {
    here = await world();
    const parent = await here.alice.say(here.channel.id, 'What do you think about this?');
    thread = (await here.alice.post(`/api/messages/${parent.id}/thread`)).body;
  });
  afterEach(() => here.close());

  const reply = async (content: string) =>
    (await here.bob.post(`/api/threads/${thread.id}/messages`, { content })).body;

  it('tell all followers, some a job, and nobody who does not follow', async () => {
    const { cluster, server, alice } = here;
    const others = {
      databaseUrl: cluster.databaseUrl,
      secret: 'unused-'.repeat(10),
      serverId: server.id,
      at: () => alice.node,
    };
    const ids = (await crowd(600, others)).map(({ id }) => id);
    const followers = ids.slice(0, 450);
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows(
        `INSERT INTO thread_follows (thread_id, user_id, state, active_at) SELECT $1, unnest($2::uuid[]), 'following', now()`,
        [thread.id, followers],
      );
    });
    const { id } = await reply('one');
    const notified = "SELECT user_id AS id FROM notifications WHERE kind = 'thread.reply' AND reference_id = $1";
    const unread = 'SELECT user_id AS id FROM thread_follows WHERE thread_id = $1 AND is_unread';
    await withRows(cluster.databaseUrl, async (rows) => {
      const all = async (text: string, of: string) =>
        (await rows<{ id: string }>(text, [of])).map((row) => row.id).sort();
      await until(async () => (await all(notified, id)).length >= followers.length + 1, { timeout: 30_000 });
      await until(async () => (await all(unread, thread.id)).length >= followers.length + 1, { timeout: 30_000 });
      const expected = [...followers, alice.id].sort();
      expect(await all(notified, id)).to.deep.equal(expected);
      expect(await all(unread, thread.id)).to.deep.equal(expected);
    });
  });

  it('are all in the inbox, each on one page, the unread ones first, however many one follows', async () => {
    const { alice, bob, channel } = here;
    const many = Array.from({ length: 100 }, (_, i) => i);
    const ids: string[] = [];
    for (let at = 0; at < many.length; at += 10) {
      const some = many.slice(at, at + 10).map(async (i) => {
        const { id } = (await alice.post(`/api/messages/${(await alice.say(channel.id, `${i}`)).id}/thread`)).body;
        if (i % 2 === 0) await bob.post(`/api/threads/${id}/messages`, { content: 'unread' });
        return id;
      });
      ids.push(...(await Promise.all(some)));
    }
    await until(async () => (await alice.get('/api/threads')).body.unreadThreads === 50, {
      message: 'not all counted',
    });
    const listed: Loose[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await alice.get(`/api/threads?limit=30${cursor && `&cursor=${cursor}`}`);
      listed.push(...body.threads);
      if (body.cursor === null) break;
      cursor = body.cursor;
    }
    expect(listed.map(({ threadId }) => threadId).sort()).to.deep.equal([...ids, thread.id].sort());
    expect(listed.map(({ unreadCount }) => unreadCount)).to.deep.equal([
      ...Array.from({ length: 50 }, () => 1),
      ...Array.from({ length: 51 }, () => 0),
    ]);
    for (const unread of [listed.slice(0, 50), listed.slice(50)]) {
      const times = unread.map(({ thread: { lastMessageAt, createdAt } }) => lastMessageAt ?? createdAt);
      expect(times).to.deep.equal([...times].sort().reverse());
    }
  });

  it('count no deleted replies, also for those who follow nothing', async () => {
    const { alice, bob, channel } = here;
    const state = async (person: typeof bob) => (await person.get(`/api/threads/${thread.id}/state`)).body;
    const other = await register(alice.node);
    await other.post(`/api/servers/${here.server.id}/join`, { inviteCode: here.server.inviteCode });
    const replies: Loose[] = [];
    for (const text of ['one', 'two', 'three']) replies.push(await reply(text));
    for (const person of [alice, other]) expect((await state(person)).unreadCount).to.equal(3);
    await bob.delete(`/api/messages/${replies[2]?.id}`);
    for (const person of [alice, other]) {
      expect(await state(person)).to.include({ unreadCount: 2, lastSeq: replies[1]?.seq });
    }
    for (const { id } of replies.slice(0, 2)) await bob.delete(`/api/messages/${id}`);
    for (const person of [alice, other]) expect((await state(person)).unreadCount).to.equal(0);
    expect((await other.get(`/api/channels/${channel.id}/threads/unread`)).body).to.deep.equal([]);
    expect((await other.get(`/api/channels/${channel.id}`)).body.unreadThreads).to.equal(0);
    await until(async () => (await alice.get('/api/threads')).body.unreadThreads === 0);
    other.hangUp();
  });

  it('have nothing unread once what was unread has expired', async () => {
    const { alice, channel } = here;
    const first = await reply('one');
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'two' });
    await alice.post(`/api/messages/${first.id}/unread`);
    const unread = async () => (await alice.get('/api/threads')).body.unreadThreads;
    expect(await unread()).to.equal(1);
    await grow(here, channel.id, 31, [thread.parentMessageId, first.id]);
    await keepFor(here, 30);
    expect(await unread()).to.equal(0);
  });

  it('get their followers with the next reply, if a version before this one made them', async () => {
    const { alice, bob, cluster } = here;
    const first = await reply('one');
    await query(cluster.databaseUrl, `DELETE FROM thread_follows WHERE thread_id = '${thread.id}'`);
    await query(cluster.databaseUrl, `UPDATE threads SET last_seq = 0 WHERE id = '${thread.id}'`);
    expect((await alice.get(`/api/threads/${thread.id}/state`)).body).to.include({ state: 'none', lastSeq: first.seq });
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'two' });
    expect((await bob.get(`/api/threads/${thread.id}/state`)).body).to.include({ state: 'following', unreadCount: 1 });
    expect((await alice.get(`/api/threads/${thread.id}/state`)).body).to.include({
      state: 'following',
      unreadCount: 0,
    });
  });
});
