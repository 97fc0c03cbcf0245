// nodes: own

import { expect } from 'chai';
import { channelRoom } from '../../src/contract/rooms.ts';
import { readLog } from '../../src/delivery/log.ts';
import { until } from '../rig/until.ts';
import { range } from '../world/follower.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

describe('the log in its partitions', () => {
  let cluster: Cluster;
  let here: World;
  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    // With entries the log would be divided otherwise. A step whose table is in use is tried again after five seconds.
    await until(async () => (await partitions()).length === 4, { timeout: 60_000, message: 'not partitioned' });
    here = await world(cluster);
  });
  after(async () => {
    here.close();
    await cluster.stop();
  });

  const sql = <R extends object>(text: string, values: unknown[] = []) => query<R>(cluster.databaseUrl, text, values);
  const partitions = async () =>
    (
      await sql<{ name: string }>(`SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = 'log_entries'::regclass ORDER BY 1`)
    ).map(({ name }) => name);

  const headOf = async (id: string) =>
    (await sql<{ head: number }>('SELECT last_seq::int AS head FROM streams WHERE id = $1', [id]))[0]?.head ?? 0;

  it('drops a day that is over as a whole, and whoever counted on it starts over once', async () => {
    const { alice, bob, channel } = here;
    for (let i = 1; i <= 10; i++) await alice.say(channel.id, `word ${i}`);
    const head = await headOf(channel.id);
    const old = head - 4;
    const end = new Date(Date.now() - 8 * 86_400_000).toISOString();
    await sql(
      `CREATE TABLE of_old PARTITION OF log_entries (PRIMARY KEY (stream_id, seq)) FOR VALUES FROM (MINVALUE) TO ('${end}')`,
    );
    await sql("UPDATE log_entries SET created_at = now() - interval '9 days' WHERE stream_id = $1 AND seq <= $2", [
      channel.id,
      old,
    ]);
    // A node looks once a minute: another one that starts looks at once.
    const other = await startCluster({ nodes: 1, databaseUrl: cluster.databaseUrl });
    await until(async () => !(await partitions()).includes('of_old'), { timeout: 60_000, message: 'not dropped' });
    const [node] = other.nodes;
    if (!node) throw new Error('no node');
    const away = bob.on(node);
    const ask = async (seq: number) => (await away.get(`/api/channels/${channel.id}/events?after=${seq}`)).body;
    const floor = 'SELECT floor_seq::int AS floor FROM streams WHERE id = $1';
    expect(await sql(floor, [channel.id])).to.deep.equal([{ floor: old }]);
    const first = await ask(old - 1);
    expect(first).to.deep.include({ recovered: false, seq: head, events: [] });
    expect(await ask(first.seq)).to.include({ recovered: true, seq: head });
    expect((await ask(old)).events.map((event: { seq: number }) => event.seq)).to.deep.equal([
      old + 1,
      old + 2,
      old + 3,
      old + 4,
    ]);
    await other.stop();
  });

  it('is read in the order of its numbers, in whatever partition they are', async () => {
    const { alice, bob } = here;
    const other = await startCluster({ nodes: 1, databaseUrl: cluster.databaseUrl });
    const [node] = other.nodes;
    if (!node) throw new Error('no node');
    // As of a transaction that lasted long: the first that is asked for, one in the middle, and the last. Each in a room that
    // the other node has nothing of in memory.
    for (const back of [4, 2, 0]) {
      const channelId = await here.newChannel();
      for (let i = 1; i <= 6; i++) await alice.say(channelId, `word ${i}`);
      const head = await headOf(channelId);
      await sql("UPDATE log_entries SET created_at = now() - interval '2 days' WHERE stream_id = $1 AND seq = $2", [
        channelId,
        head - back,
      ]);
      const { body } = await bob.on(node).get(`/api/channels/${channelId}/events?after=${head - 5}`);
      expect(body).to.include({ recovered: true, seq: head });
      const numbers = body.events.map((event: { seq: number }) => event.seq);
      expect(numbers).to.deep.equal(range(head - 4, head));
    }
    await other.stop();
  });

  it('looks for what was said today in no other partition', async () => {
    const { alice } = here;
    const channelId = await here.newChannel();
    for (let i = 1; i <= 6; i++) await alice.say(channelId, `word ${i}`);
    const head = await headOf(channelId);
    await withRows(cluster.databaseUrl, async (rows) => {
      await rows('BEGIN');
      await rows('SET LOCAL enable_seqscan = off');
      const read = await readLog(rows, channelRoom(channelId), head - 3, 10);
      expect(read.map(({ seq }) => Number(seq))).to.deep.equal(range(head - 2, head));
      const looked = await rows(`SELECT FROM pg_stat_xact_user_tables
        WHERE idx_scan > 0 AND relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'log_entries'::regclass)`);
      // In the first hour of a day there are two.
      expect(looked.length).to.be.within(1, 2);
    });
  });
});
