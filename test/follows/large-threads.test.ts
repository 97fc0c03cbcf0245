import { expect } from 'chai';
import { grow, keepFor } from '../retention/aged.ts';
import { until } from '../rig/until.ts';
import { crowd } from '../world/crowd.ts';
import type { Loose } from '../world/person.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

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
