import pg from 'pg';
import { MAX, NIL } from 'uuid';
import type { Rows } from '../src/database/database.ts';
import { statementName } from '../src/database/statements.ts';
import { fact } from '../src/features/search/document.ts';
import { Finder } from '../src/features/search/finder.ts';
import { createDatabase } from '../test/rig/postgres.ts';
import { migrated } from '../test/world/nodes.ts';
import { percentile, timed } from './load.ts';
import { Tables } from './table.ts';

/**
 * `npm run bench -- search [--messages 5000000]`: how long the index takes to find 25 messages among so many, of words from
 * the commonest to one that is in none. Words are as common as in any language (Zipf); some are of one year alone.
 */
const channels = 400;
const servers = 20;
const years = 3;
const vocabulary = 20_000;
const wordsOfMessage = 9;
const chunk = 100_000;
const times = 20;
const limit = 26;

const uuid = (prefix: string, n: string) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const idOf = (prefix: string, n: number) => `${prefix}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const short = (id: string) => `rtrim(translate(encode(uuid_send(${id}), 'base64'), '+/', '-_'), '=')`;
const word = `'word' || floor(power(${vocabulary}, random()))::int`;

/** Messages number $1 to $2 of $3, by turns in the channels, with the facts that the indexer writes. */
const insert = `INSERT INTO search_words (message_id, channel_id, words)
  SELECT id, channel, to_tsvector('simple', words) || array_to_tsvector(array['#c' || ${short('channel')},
    '#s' || ${short('server')}, '#f' || ${short('channel')}, '#t' || left(time, 4), '#t' || left(time, 5), '#t' || left(time, 6)])
  FROM (SELECT *, replace(id::text, '-', '') AS time FROM (
    SELECT uuidv7(-age) AS id, ${uuid('0000000c', `i % ${channels}`)} AS channel, ${uuid('0000000a', `i % ${servers}`)} AS server, words
    FROM generate_series($1::int, $2::int) AS i
    CROSS JOIN LATERAL (SELECT make_interval(secs => ${years} * 31536000.0 * ($3::int - i) / $3::int) AS age) AS time
    CROSS JOIN LATERAL (SELECT string_agg(${word}, ' ') || CASE WHEN i % ($3::int / 20) = 7 THEN ' needle' ELSE '' END
      || CASE WHEN i BETWEEN $3::int / 10 AND $3::int / 3 AND random() < 0.1 THEN ' formerly' ELSE '' END AS words
      FROM generate_series(1, ${wordsOfMessage}) AS w WHERE i >= 0) AS text) AS made) AS message`;

/** @param file where the tables go */
export async function search(file: string, messages: number): Promise<void> {
  const tables = new Tables(file);
  const place = await createDatabase(migrated);
  const client = new pg.Client(place.url);
  await client.connect();
  try {
    await fill(client, messages);
    await client.query('SET enable_seqscan = off; SET jit = off; SET plan_cache_mode = force_generic_plan');
    tables.say(`${messages} messages in ${channels} channels of ${servers} servers over ${years} years.`);
    await measure(client, tables);
    await explain(client, tables);
  } finally {
    await client.end();
    await place.drop();
  }
}

async function fill(client: pg.Client, messages: number): Promise<void> {
  await client.query('DROP INDEX search_words_words');
  for (let at = 1; at <= messages; at += chunk) {
    await client.query(insert, [at, Math.min(at + chunk - 1, messages), messages]);
    process.stdout.write(`  ${at + chunk - 1} of ${messages}\n`);
  }
  await client.query("SET maintenance_work_mem = '512MB'");
  await client.query('CREATE INDEX search_words_words ON search_words USING gin (words)');
  await client.query('VACUUM ANALYZE search_words');
}

const queries: [string, string][] = [
  ['in every second message', "'word1'"],
  ['in 4 %', "'word20'"],
  ['in 0.5 %', "'word200'"],
  ['in 0.05 %', "'word2000'"],
  ['in 20 messages', "'needle'"],
  ['in none', "'abracadabra'"],
  ['in 10 % of two years ago', "'formerly'"],
  ['a beginning', "'word19':*"],
  ['two words', "'word30' & 'word40'"],
  ['a phrase', "('word5' <-> 'word7')"],
  ['one and not another', "('word300' & !'word1')"],
];

/** Everywhere, in one server of them, and in one channel. */
const everywhere = Array.from({ length: channels }, (_, n) => n);
const places: [string, number[], string[]][] = [
  ['everywhere', everywhere, []],
  ['a server', everywhere.filter((n) => n % servers === 3), [fact.server(idOf('0000000a', 3))]],
  ['a channel', [3], [fact.channel(idOf('0000000c', 3))]],
];

async function measure(client: pg.Client, tables: Tables): Promise<void> {
  let statements = 0;
  const rows: Rows = async <R extends object>(text: string, values: unknown[] = []) => {
    statements++;
    return (await client.query<R>({ name: statementName(text), text, values })).rows;
  };
  for (const [where, numbers, scope] of places) {
    const channelIds = numbers.map((n) => idOf('0000000c', n));
    const sought = { channelIds, before: MAX, from: NIL, limit, limited: null };
    for (const [name, words] of queries) {
      const parts = [...(words.startsWith('(') ? [words] : words.split(' & ')), ...scope];
      const waits: number[] = [];
      let found: string[] = [];
      statements = 0;
      for (let i = 0; i < times; i++) {
        waits.push(
          await timed(async () => {
            found = (await new Finder(rows, { near: parts, far: parts }, sought).run()).ids;
          }),
        );
      }
      const figures = { 'p50 (ms)': percentile(waits, 0.5), 'p95 (ms)': percentile(waits, 0.95) };
      tables.row(`${name}, ${where}`, { ...figures, found: found.length, statements: statements / times });
    }
  }
}

/** What PostgreSQL does for those that cost most. */
async function explain(client: pg.Client, tables: Tables): Promise<void> {
  for (const words of ["'word200'", "'word30' & 'word40'", "'formerly' & '#t0194'"]) {
    const conditions = words.split(' & ').map((part) => `words @@ $w$${part}$w$::tsquery`);
    const plan = await client.query<Record<string, string>>(
      `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT count(*) FROM (SELECT message_id FROM search_words
        WHERE ${conditions.join(' AND ')} LIMIT 300) AS w`,
    );
    tables.say([`\n${words}:`, '```', ...plan.rows.flatMap(Object.values), '```'].join('\n'));
  }
}
