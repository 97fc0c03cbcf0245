// nodes: own

import { expect } from 'chai';
import { Database } from '../../src/database/database.ts';
import { partitionMessages } from '../../src/database/moves/partition-messages.ts';
import { BlobCollector } from '../../src/features/blobs/blob.collector.ts';
import { oldestMessages } from '../../src/features/retention/expiry.table.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { type Cluster, startCluster, testSettings } from '../world/nodes.ts';
import { query } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';
import { grow, keepFor } from './aged.ts';

const fill = `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
  SELECT gen_random_uuid(), channel, 1000 + i, $2, 'one of many ' || i, now() - make_interval(mins => 100000 - i), now()
  FROM unnest($1::uuid[]) AS channel CROSS JOIN generate_series(1, 3000) AS i`;

/** A node of a plan, as EXPLAIN tells it. */
interface Step {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Step[];
}

const stepsOf = (step: Step): Step[] => [step, ...(step.Plans ?? []).flatMap(stepsOf)];

describe('expired messages of a large channel', () => {
  let cluster: Cluster;
  let here: World;
  let database: Database;
  const log = createLog('silent');

  before(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    database = await Database.connect(cluster.databaseUrl, testSettings(cluster.databaseUrl, null), log);
    const others = Array.from({ length: 5 }, () => crypto.randomUUID());
    await query(cluster.databaseUrl, 'UPDATE streams SET last_seq = 10000 WHERE id = $1', [here.channel.id]);
    await query(cluster.databaseUrl, fill, [[here.channel.id, ...others], here.alice.id]);
    await query(cluster.databaseUrl, 'ANALYZE');
  });
  after(async () => {
    await database.close();
    here.close();
    await cluster.stop();
  });

  /** How the next ones of a channel are found. */
  async function plan(): Promise<Step[]> {
    const found: Step[] = [];
    const explain = async <R extends object>(text: string, values: unknown[] = []): Promise<R[]> => {
      const [row] = await database.rows<{ 'QUERY PLAN': { Plan: Step }[] }>(`EXPLAIN (FORMAT JSON) ${text}`, values);
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) found.push(...stepsOf(Plan));
      return [];
    };
    await oldestMessages(explain, here.channel.id, 1500, 30);
    return found;
  }

  /** Nothing else is read than the numbers after the last step. */
  async function requireIndex(name: RegExp): Promise<void> {
    const scans = (await plan()).filter(
      (step) => step['Index Name']?.startsWith('messages') || /Seq Scan/.test(step['Node Type']),
    );
    expect(scans).to.have.length(1);
    expect(scans[0]?.['Index Name']).to.match(name);
    expect(scans[0]?.['Index Cond']).to.include('channel_id').and.include('seq > ');
    expect(scans[0]?.Filter).to.equal(undefined);
  }

  const left = async () =>
    (
      await query<{ count: number }>(
        cluster.databaseUrl,
        'SELECT count(*)::int AS count FROM messages WHERE channel_id = $1',
        [here.channel.id],
      )
    )[0]?.count;

  it('are found by the index of its numbers', () => requireIndex(/^messages_channel_seq$/));

  it('go in a table that is partitioned, too, and so do the bytes of their files', async () => {
    const { alice, bob, channel } = here;
    const file = await alice.upload('a.txt', Buffer.from(`only in ${channel.id}`));
    const sent = await alice.say(channel.id, 'a file', { attachments: [{ id: file.id }] });
    await bob.post(`/api/messages/${sent.id}/reactions`, { emoji: '👍' });
    expect(await partitionMessages(cluster.databaseUrl, () => {})).to.equal('done');
    await requireIndex(/^messages_\d+_/);
    const parent = await alice.say(channel.id, 'a thread');
    const thread = (await alice.post(`/api/messages/${parent.id}/thread`)).body;
    await alice.post(`/api/threads/${thread.id}/messages`, { content: 'inside' });
    await alice.say(channel.id, 'a quote', { replyToId: sent.id });
    await grow(here, channel.id, 100);
    const fresh = await bob.say(channel.id, 'fresh', { replyToId: parent.id });
    await keepFor(here, 60);
    // The fresh one, and what it quotes.
    expect(await left()).to.equal(2);
    expect(fresh.seq).to.be.above(10_000);
    const [ends] = (await bob.get(`/api/channels/${channel.id}/messages`)).body.messages;
    expect(ends.replyTo).to.include({ id: parent.id, deleted: true });
    expect((await bob.get(`/api/threads/${thread.id}`)).status).to.equal(404);

    const contents = 'SELECT id FROM blobs WHERE hash IS NOT NULL';
    expect(await query(cluster.databaseUrl, contents)).to.have.length(1);
    const collector = new BlobCollector(database, { graceSeconds: 0 }, log);
    await collector.run();
    await collector.run();
    await collector.close();
    expect(await query(cluster.databaseUrl, contents)).to.deep.equal([]);
  });
});
