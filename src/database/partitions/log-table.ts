import type { Rows } from '../database.ts';
import type { Range } from './ranges.ts';

/** A partition of the log with the times of its entries. */
export interface Partition extends Range {
  name: string;
}

/** A constraint that bounds the default partition, before it becomes an ordinary one. */
export interface Bound extends Range {
  /** All rows were found to keep it. */
  isValid: boolean;
}

/** What the log is made of. All times are by PostgreSQL's clock. */
export interface LogTable {
  /** It is not while a backup is restored. */
  isThere: boolean;
  /** Those with bounds, in order. */
  partitions: Partition[];
  /** Whether the default partition has entries: it takes those that no other one takes. */
  isDefaultFilled: boolean;
  bound: Bound | undefined;
  now: number;
}

const ms = (time: string) => `extract(epoch FROM ${time})::float8 * 1000`;
/** The time that follows some words in the description of a bound. */
const boundAt = (description: string, words: string) =>
  ms(`substring(${description} FROM '${words} \\(?''([^'']+)''')::timestamptz`);
const selectPartitions = `SELECT c.relname AS name, ${boundAt('described', 'FROM')} AS "from",
    ${boundAt('described', 'TO')} AS "to"
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid CROSS JOIN LATERAL pg_get_expr(c.relpartbound, c.oid) AS described
  WHERE i.inhparent = to_regclass('log_entries') AND described <> 'DEFAULT' ORDER BY "to"`;
const selectDefault = `SELECT to_regclass('log_entries') IS NOT NULL AS "isThere",
    EXISTS (SELECT FROM log_entries_default) AS "isFilled", ${ms('now()')} AS now`;
const selectBound = `SELECT convalidated AS "isValid", ${boundAt('described', '>=')} AS "from", ${boundAt('described', '<')} AS "to"
  FROM pg_constraint c CROSS JOIN LATERAL pg_get_constraintdef(c.oid) AS described
  WHERE c.conrelid = to_regclass('log_entries_default') AND c.conname = 'log_entries_default_bound'`;

/** What the log is made of now. */
export async function readLogTable(rows: Rows): Promise<LogTable> {
  const partitions = await rows<Partition>(selectPartitions);
  const [found] = await rows<{ isThere: boolean; isFilled: boolean; now: number }>(selectDefault);
  const [bound] = await rows<Bound>(selectBound);
  return {
    isThere: found?.isThere ?? false,
    partitions,
    isDefaultFilled: found?.isFilled ?? false,
    bound,
    now: found?.now ?? 0,
  };
}

const literal = (time: number | null): string => (time === null ? "'-infinity'" : `'${new Date(time).toISOString()}'`);
const limit = (time: number | null): string => (time === null ? 'MINVALUE' : literal(time));
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10).replaceAll('-', '');

/** While such a lock is waited for, sends wait too. */
const briefly = "SET LOCAL lock_timeout = '100ms'";

/** Locks a partition against an autovacuum, which gives way after a second, and against nobody who reads or writes. */
async function reserve(rows: Rows, partition: string): Promise<void> {
  await rows("SET LOCAL lock_timeout = '10s'");
  await rows(`LOCK TABLE ONLY ${partition} IN SHARE UPDATE EXCLUSIVE MODE`);
  await rows(briefly);
}

/** Locks a partition and the whole log against all. PostgreSQL would refuse an entry that is on its way to a partition. */
async function seize(rows: Rows, partition: string): Promise<void> {
  await reserve(rows, partition);
  await rows('LOCK TABLE ONLY log_entries IN ACCESS EXCLUSIVE MODE');
  await rows(`LOCK TABLE ONLY ${partition} IN ACCESS EXCLUSIVE MODE`);
}

/** With the indexes of the log, so that they need not be built when it becomes a partition. */
const createTable = (name: string) =>
  `CREATE TABLE ${name} (LIKE log_entries INCLUDING DEFAULTS INCLUDING INDEXES, PRIMARY KEY (stream_id, seq))`;

const attach = (rows: Rows, { name, from, to }: Partition) =>
  rows(`ALTER TABLE log_entries ATTACH PARTITION ${name} FOR VALUES FROM (${limit(from)}) TO (${literal(to)})`);

/** Adds empty partitions. The default one must have no entries in their ranges, and is read for it. */
export async function addPartitions(rows: Rows, ranges: { from: number; to: number }[]): Promise<void> {
  const added = ranges.map((range) => ({ ...range, name: `log_entries_${dayOf(range.from)}` }));
  for (const { name } of added) await rows(createTable(name));
  await seize(rows, 'log_entries_default');
  await unbindDefault(rows);
  for (const partition of added) await attach(rows, partition);
}

/** Drops a partition with its entries. Reads and writes of the log wait for a moment. */
export async function dropPartition(rows: Rows, name: string): Promise<void> {
  await seize(rows, name);
  await rows(`DROP TABLE ${name}`);
}

/**
 * Bounds the default partition: all that is written from here on keeps the bound. No write fails for it: one at another
 * time, should the partition still be the default one then, gets the nearest time.
 */
export async function bindDefault(rows: Rows, { from, to }: Range): Promise<void> {
  await reserve(rows, 'log_entries_default');
  const outside = `created_at >= ${literal(to)}${from === null ? '' : ` OR created_at < ${literal(from)}`}`;
  await unbindDefault(rows);
  await rows(`CREATE TRIGGER log_entries_default_bound BEFORE INSERT OR UPDATE ON log_entries_default FOR EACH ROW
    WHEN (${outside.replaceAll('created_at', 'new.created_at')}) EXECUTE FUNCTION keep_within(${literal(from)}, ${literal(to)})`);
  const lower = from === null ? '' : `created_at >= ${literal(from)} AND `;
  await rows(`ALTER TABLE log_entries_default ADD CONSTRAINT log_entries_default_bound
    CHECK (${lower}created_at < ${literal(to)}) NOT VALID`);
}

/** A bound must not outlast the gap that it stands for: the time nearest to a write would be another partition's. */
async function unbindDefault(rows: Rows): Promise<void> {
  await rows('DROP TRIGGER IF EXISTS log_entries_default_bound ON log_entries_default');
  await rows('ALTER TABLE log_entries_default DROP CONSTRAINT IF EXISTS log_entries_default_bound');
}

/** Reads the whole default partition to see that it keeps its bound; anyone may read and write meanwhile. */
export async function checkDefault(rows: Rows): Promise<void> {
  await rows('ALTER TABLE log_entries_default VALIDATE CONSTRAINT log_entries_default_bound');
}

/**
 * Makes the default partition, which was found to keep its bound, an ordinary one, and creates an empty one in its place.
 * No row is moved or read.
 */
export async function settleDefault(rows: Rows, { from, to }: Range): Promise<void> {
  await seize(rows, 'log_entries_default');
  const name = `log_entries_before_${dayOf(to)}`;
  await rows('DROP TRIGGER log_entries_default_bound ON log_entries_default');
  await rows('ALTER TABLE log_entries DETACH PARTITION log_entries_default');
  await rows(`ALTER TABLE log_entries_default RENAME TO ${name}`);
  await attach(rows, { name, from, to });
  await rows(`ALTER TABLE ${name} DROP CONSTRAINT log_entries_default_bound`);
  await rows(createTable('log_entries_default'));
  await rows('ALTER TABLE log_entries ATTACH PARTITION log_entries_default DEFAULT');
}

/** How many entries a step looks at. */
const strays = 1000;
const moveStrays = `WITH stray AS MATERIALIZED (
    SELECT ctid AS place, stream_id FROM log_entries_default WHERE created_at < $1 OR created_at >= $2 LIMIT $3
  ), locked AS (
    SELECT id FROM streams WHERE id IN (SELECT stream_id FROM stray) ORDER BY id FOR UPDATE
  ), moved AS (
    UPDATE log_entries SET created_at = now() FROM stray JOIN locked ON locked.id = stray.stream_id
    WHERE log_entries.tableoid = 'log_entries_default'::regclass AND log_entries.ctid = stray.place
  )
  SELECT count(*)::int AS found FROM stray`;

/**
 * Gives entries of the default partition that were written while the clock was wrong the present time: so they get into the
 * partition of today, or keep the bound. One step. As everywhere, heads are locked before entries.
 * @param but leaves those in this range; undefined: none @returns how many it found
 */
export async function moveStraysOfDefault(rows: Rows, but: Range | undefined): Promise<number> {
  const iso = (time: number | null) => (time === null ? '-infinity' : new Date(time).toISOString());
  const values = but ? [iso(but.from), iso(but.to)] : ['infinity', 'infinity'];
  const [row] = await rows<{ found: number }>(moveStrays, [...values, strays]);
  return row?.found ?? 0;
}
