import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Rows } from '../../src/database/database.ts';
import { until } from '../rig/until.ts';
import { botIn } from '../world/bot.ts';
import { withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

/** What there is of a channel. */
const remains = `SELECT (SELECT count(*)::int FROM channels WHERE id = $1) AS channels,
  (SELECT count(*)::int FROM messages WHERE channel_id = $1) AS messages,
  (SELECT count(*)::int FROM streams WHERE id = $1) AS heads,
  (SELECT count(*)::int FROM log_entries WHERE stream_id = $1) AS events`;
const nothing = { channels: 0, messages: 0, heads: 0, events: 0 };

describe('a channel that was deleted a while ago', () => {
  let here: World;
  before(async () => {
    here = await world();
  });
  after(() => here.close());

  const create = async (name: string): Promise<string> =>
    (await here.alice.post(`/api/servers/${here.server.id}/channels`, { name })).body.id;
  const remove = async (id: string) => {
    const { status } = await here.alice.delete(`/api/channels/${id}`);
    expect(status).to.equal(200);
  };
  const left = async (rows: Rows, id: string) => (await rows(remains, [id]))[0];
  /** Its deletion, and the job that waits until every node has the event, are that long ago. */
  const age = async (rows: Rows, id: string) => {
    await rows("UPDATE channels SET deleted_at = now() - interval '11 minutes' WHERE id = $1", [id]);
    await rows("UPDATE jobs SET due_at = now() WHERE kind = 'channel-purge' AND key = $1", [id]);
  };

  it('takes the notifications of what was said in it along', async () => {
    const { alice, bob } = here;
    const ear = await bob.connect();
    const id = await create('quoted');
    await alice.say(id, `a secret for @${bob.username}`);
    await ear.next('notification:new', (notification) => notification.channelId === id);
    await remove(id);
    await ear.next('notification:deleted', ({ scope }) => scope?.channelId === id);
    expect((await bob.get('/api/notifications')).body).to.deep.equal([]);
    // Its messages follow in the background, and so does what the log quotes of them.
    await ear.next('notification:deleted', ({ ids }) => ids?.length === 1);
    expect(JSON.stringify((await bob.get('/api/events?after=0')).body)).not.to.include('a secret');
  });

  it('takes what was typed for bots out of their logs', async () => {
    const { alice, bob, server } = here;
    const robot = await botIn(server, alice);
    const id = await create('asked');
    await alice.post(`/api/channels/${id}/members`, { userId: robot.id });
    const form = { title: 'Ask', fields: [{ type: 'text', id: 'word', label: 'Word' }] };
    const message = await robot.say(id, '', {
      components: { items: [{ type: 'form', id: 'ask', label: 'Ask', form }] },
    });
    const use = { componentId: 'ask', values: { word: 'wombat' } };
    expect((await bob.post(`/api/messages/${message.id}/uses`, use)).status).to.equal(201);
    await remove(id);
    const told = () =>
      withRows(here.cluster.databaseUrl, (rows) =>
        rows<{ values: object }>(
          "SELECT data -> 'values' AS values FROM log_entries WHERE stream_id = $1 AND event = 'interaction:created'",
          [robot.id],
        ),
      );
    await until(async () => JSON.stringify(await told()) === '[{"values":{}}]');
    robot.hangUp();
  });

  it('leaves nothing, not even what was being written into it at that moment', () =>
    withRows(here.cluster.databaseUrl, async (rows) => {
      const id = await create('doomed');
      await here.alice.say(id, 'soon gone');
      await remove(id);
      await until(async () => (await rows<{ messages: number }>(remains, [id]))[0]?.messages === 0);
      const [{ pid } = { pid: 0 }] = await rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await rows('BEGIN');
      await rows('SELECT FROM streams WHERE id = $1 FOR UPDATE', [id]);
      // Only now: the cleaning may still be at it.
      await withRows(here.cluster.databaseUrl, (others) => age(others, id));
      await rows(
        `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
         VALUES ($1, $2, 1000, $3, 'late', now(), now())`,
        [randomUUID(), id, here.alice.id],
      );
      await withRows(here.cluster.databaseUrl, (others) =>
        until(
          async () =>
            (await others('SELECT FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))', [pid])).length,
        ),
      );
      await rows('COMMIT');
      await until(async () => JSON.stringify(await left(rows, id)) === JSON.stringify(nothing));
    }));
});
