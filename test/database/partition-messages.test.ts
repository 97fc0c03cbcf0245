// nodes: own

import { expect } from 'chai';
import { advisoryLocks } from '../../src/database/advisory-locks.ts';
import { giveUpPartitioning, type Progress, partitionMessages } from '../../src/database/moves/partition-messages.ts';
import { partitions } from '../../src/database/moves/partitioned-messages.sql.ts';
import { holdMessage } from '../../src/features/messages/edit.table.ts';
import { readMessage } from '../../src/features/messages/message.table.ts';
import { completeRows } from '../../src/features/messages/page.table.ts';
import { mergeNewWords } from '../../src/features/search/earlier.table.ts';
import { until } from '../rig/until.ts';
import { type Cluster, startCluster } from '../world/nodes.ts';
import { query, withRows } from '../world/sql.ts';
import { type World, world } from '../world/world.ts';

const nothing = () => {};
/** More than a step of the move has. */
const many = 1800;
const fill = `INSERT INTO messages (id, channel_id, seq, author_id, content, created_at, updated_at)
  SELECT gen_random_uuid(), $1, 100000 + i, $2, 'one of many ' || i, now(), now() FROM generate_series(1, ${many}) AS i`;
const indexNames = `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'messages'::regclass ORDER BY 1`;
/** What a migration may have added to the table, whatever it is made of. */
const additions = `SELECT concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attgenerated,
    pg_get_expr(adbin, adrelid)) AS what FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = 'messages'::regclass AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'messages'::regclass AND contype IN ('c', 'f')
  UNION ALL SELECT tgname FROM pg_trigger WHERE tgrelid = 'messages'::regclass AND NOT tgisinternal ORDER BY 1`;
const endMove = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = $1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const orphans = `SELECT (SELECT count(*)::int FROM reactions r WHERE NOT EXISTS (SELECT FROM messages WHERE id = r.message_id))
  + (SELECT count(*)::int FROM attachments a WHERE a.message_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM messages WHERE id = a.message_id)) AS count`;

describe('partitioning messages', () => {
  let cluster: Cluster;
  let here: World;
  beforeEach(async () => {
    cluster = await startCluster({ nodes: 1 });
    here = await world(cluster);
    for (const channel of [here.channel.id, await here.newChannel('second'), await here.newChannel('third')]) {
      await query(cluster.databaseUrl, 'UPDATE streams SET last_seq = 200000 WHERE id = $1', [channel]);
      await query(cluster.databaseUrl, fill, [channel, here.alice.id]);
    }
  });
  afterEach(async () => {
    here.close();
    await cluster.stop();
  });

  const url = () => cluster.databaseUrl;
  const kind = async () =>
    (await query<{ relkind: string }>(url(), "SELECT relkind FROM pg_class WHERE oid = 'messages'::regclass"))[0];

  it('loses, changes and doubles nothing while people talk, and however often it is cut off', async () => {
    const indexes = await query<{ name: string }>(url(), indexNames);
    const had = await query<{ what: string }>(url(), additions);
    const doomed = await here.newChannel('doomed');
    const lost = await here.alice.say(doomed, 'of a channel that is removed');
    await here.bob.post(`/api/messages/${lost.id}/reactions`, { emoji: '👍' });
    const said = new Map<string, string | null>();
    let talking = true;
    const talk = async () => {
      for (let i = 0; talking || i % 12 !== 0; i++) {
        const { id } = await here.alice.say(here.channel.id, `message ${i}`, { nonce: `${i}` });
        said.set(id, `message ${i}`);
        const statuses = [(await here.bob.post(`/api/messages/${id}/reactions`, { emoji: '👍' })).status];
        if (i % 3 === 0) {
          statuses.push((await here.alice.patch(`/api/messages/${id}`, { content: `edited ${i}` })).status);
          said.set(id, `edited ${i}`);
        }
        if (i % 4 === 0) {
          statuses.push((await here.alice.delete(`/api/messages/${id}`)).status);
          said.set(id, null);
        }
        expect(Math.max(...statuses), `statuses ${statuses}`).to.be.below(300);
        if (said.get(id) === null) continue;
        const again = { content: 'x', nonce: `${i}` };
        const repeated = await here.alice.post(`/api/channels/${here.channel.id}/messages`, again);
        expect(repeated.body.id).to.equal(id);
      }
    };
    const talker = talk();
    await here.alice.delete(`/api/channels/${doomed}`);
    const phases = new Set<string>();
    // Each run is cut off a step later than the one before: after its commit, or by PostgreSQL in the middle of the next.
    let runs = 0;
    let outcome: string | undefined;
    while (!outcome) {
      const run = runs++;
      let steps = run % 3;
      const cutOff = ({ phase }: Progress) => {
        phases.add(phase);
        if (run >= 20 || steps-- !== 0) return;
        if (run % 2 === 0) throw new Error('cut off');
        void query(url(), endMove, [advisoryLocks.moving]);
      };
      outcome = await partitionMessages(url(), cutOff).catch((error: unknown) => {
        if (run >= 20) throw error;
        return undefined;
      });
    }
    expect([...phases]).to.include.members(['copying', 'comparing']);
    expect(outcome).to.equal('done');
    expect(await kind()).to.deep.equal({ relkind: 'p' });
    talking = false;
    await talker;
    expect(runs).to.be.above(5);

    const found = await query<{ id: string; content: string; gone: boolean }>(
      url(),
      'SELECT id, content, deleted_at IS NOT NULL AS gone FROM messages WHERE channel_id = $1 AND seq > 200000',
      [here.channel.id],
    );
    expect(found.length).to.equal(said.size);
    for (const { id, content, gone } of found) expect(gone ? null : content).to.equal(said.get(id));
    const counted =
      'SELECT count(*)::int AS count, count(DISTINCT id)::int AS different FROM messages WHERE seq BETWEEN 100001 AND 102000';
    expect(await query(url(), counted)).to.deep.equal([{ count: 3 * many, different: 3 * many }]);
    expect(await query(url(), orphans)).to.deep.equal([{ count: 0 }]);
    const names = (await query<{ name: string }>(url(), indexNames)).map(({ name }) => name);
    expect(names.filter((name) => name !== 'messages_id')).to.deep.equal(
      indexes.map(({ name }) => name).filter((name) => name !== 'messages_pkey'),
    );
    const has = await query<{ what: string }>(url(), additions);
    expect(has.filter(({ what }) => what !== 'release_messages')).to.deep.equal(had);
    expect(await partitionMessages(url(), nothing)).to.equal('was done');
    expect(await giveUpPartitioning(url())).to.equal('was done');
  });

  it('is done by one run at a time', async () => {
    const others: Promise<string>[] = [];
    const outcome = await partitionMessages(url(), () => {
      if (others.length < 3) others.push(partitionMessages(url(), nothing));
    });
    expect(outcome).to.equal('done');
    for (const other of await Promise.all(others)) expect(other).to.be.oneOf(['elsewhere', 'was done']);
  });

  it('leaves the old table in use where the new one is not the same', async () => {
    for (const tamper of [
      "UPDATE messages_new SET content = 'other' WHERE seq = 101799",
      'DELETE FROM messages_new WHERE seq = 101799',
      `INSERT INTO messages_new (id, channel_id, seq, author_id, content, created_at, updated_at)
       SELECT gen_random_uuid(), 'ffffffff-0000-7000-8000-000000000000', 1, author_id, '', now(), now() FROM messages LIMIT 1`,
    ]) {
      // Connected before: the comparison does not wait for it.
      const failure = await withRows(url(), async (rows) => {
        let tampered: Promise<unknown> | undefined;
        const moving = partitionMessages(url(), ({ phase }) => {
          if (phase === 'comparing') tampered ??= rows(tamper);
        });
        const outcome = await moving.catch((error: Error) => error.message);
        await tampered;
        return outcome;
      });
      expect(failure, tamper).to.match(/were not copied as they are/);
      expect(await kind()).to.deep.equal({ relkind: 'r' });
      expect(await giveUpPartitioning(url())).to.equal('given up');
    }
  });

  it('is given up while people talk, and leaves nothing', async () => {
    const leftovers = `SELECT (SELECT count(*)::int FROM pg_class WHERE relname ~ '^(messages_(new|move|\\d)|new_messages)')
      + (SELECT count(*)::int FROM pg_proc WHERE proname = 'carry_message')
      + (SELECT count(*)::int FROM pg_trigger WHERE tgname = 'carry_message') AS count`;
    const cutOff = () => {
      throw new Error('cut off');
    };
    await partitionMessages(url(), cutOff).catch(nothing);
    expect(await query(url(), leftovers)).to.not.deep.equal([{ count: 0 }]);
    let isOver = false;
    const talking = (async () => {
      for (let i = 0; !isOver; i++) await here.alice.say(here.channel.id, `message ${i}`);
    })();
    await withRows(url(), async (rows) => {
      await rows('SELECT pg_advisory_lock($1)', [advisoryLocks.moving]);
      expect(await giveUpPartitioning(url())).to.equal('elsewhere');
      await rows('SELECT pg_advisory_unlock($1)', [advisoryLocks.moving]);
    });
    expect(await giveUpPartitioning(url())).to.equal('given up');
    isOver = true;
    await talking;
    expect(await query(url(), leftovers)).to.deep.equal([{ count: 0 }]);
    expect(await giveUpPartitioning(url())).to.equal('given up');
  });

  it('begins anew after a migration changed the table, in whatever way', async () => {
    for (const change of [
      'ALTER TABLE messages ADD COLUMN of_tomorrow int',
      'ALTER TABLE messages ADD COLUMN length int GENERATED ALWAYS AS (length(content)) STORED',
      'ALTER TABLE messages ALTER COLUMN of_tomorrow TYPE bigint, ALTER COLUMN of_tomorrow SET DEFAULT 7',
      'CREATE INDEX of_tomorrow ON messages (channel_id, of_tomorrow)',
      'DROP INDEX of_tomorrow; CREATE INDEX of_tomorrow ON messages (channel_id, of_tomorrow) WHERE of_tomorrow > 1',
      'CREATE TRIGGER of_tomorrow BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
    ]) {
      const cutOff = () => {
        throw new Error('cut off');
      };
      await partitionMessages(url(), cutOff).catch(nothing);
      await query(url(), change);
    }
    const had = await query<{ what: string }>(url(), additions);
    expect(await partitionMessages(url(), nothing)).to.equal('done');
    const has = await query<{ what: string }>(url(), additions);
    expect(has.filter(({ what }) => what !== 'release_messages')).to.deep.equal(
      had.filter(({ what }) => what !== 'carry_message'),
    );
    const index = `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index WHERE indexrelid = 'of_tomorrow'::regclass`;
    expect(await query(url(), index)).to.deep.equal([{ condition: '(of_tomorrow > 1)' }]);
  });

  describe('when it is done,', () => {
    beforeEach(() => partitionMessages(url(), nothing));

    it('lets statements that know the channel look into one partition', async () => {
      const { id } = await here.alice.say(here.channel.id, 'Hello');
      await withRows(url(), async (rows) => {
        await rows('SET enable_seqscan = off');
        await rows('SET plan_cache_mode = force_generic_plan');
        let names = 0;
        const looked = async (text: string, values: unknown[]) => {
          const name = `p${names++}`;
          await rows(`PREPARE ${name} AS ${text}`);
          const given = values.map((value) => `'${Array.isArray(value) ? `{${value}}` : value}'`).join(', ');
          const plan = await rows<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING OFF) EXECUTE ${name}(${given})`);
          const lines = plan.map((line) => line['QUERY PLAN']).join('\n');
          expect(new Set(lines.match(/on messages_\d+/g)).size, lines).to.equal(1);
          return [];
        };
        const explained = (text: string, values: unknown[] = []) => looked(text, values);
        await completeRows(explained, here.channel.id, [id]);
        await readMessage(explained, here.channel.id, id).catch(nothing);
        await holdMessage(explained, here.channel.id, id).catch(nothing);
        expect(names).to.equal(3);
      });
    });

    it('releases what belongs to messages that are removed, whoever removes them', async () => {
      const { id } = await here.alice.say(here.channel.id, 'Hello');
      await here.bob.post(`/api/messages/${id}/reactions`, { emoji: '👍' });
      await query(url(), 'DELETE FROM messages WHERE id = $1', [id]);
      expect(await query(url(), orphans)).to.deep.equal([{ count: 0 }]);
      expect(await query(url(), 'SELECT FROM reactions')).to.deep.equal([]);
    });

    it('finds messages by their words, and merges the words of each partition', async () => {
      await here.alice.say(here.channel.id, 'a strawberry and 言葉');
      await withRows(url(), mergeNewWords);
      const parts = `SELECT count(*)::int AS count FROM pg_inherits WHERE inhparent = 'messages_search'::regclass`;
      expect(await query(url(), parts)).to.deep.equal([{ count: partitions }]);
      for (const text of ['strawberry', '言葉']) {
        const path = `/api/search/messages?query=${encodeURIComponent(text)}`;
        // The index has all the others to go through before.
        await until(async () => (await here.bob.get(path)).body.length === 1, { message: `${text} is not found` });
      }
      for (const page of ['', '?after=100500', '?include=threads']) {
        expect((await here.bob.get(`/api/channels/${here.channel.id}/messages${page}`)).status).to.equal(200);
      }
    });
  });
});
