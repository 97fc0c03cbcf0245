import type { storageKinds } from '../../contract/operator-watch.ts';
import type { Rows } from '../../database/database.ts';

/** Up to so many rows are counted; beyond that PostgreSQL's own estimate has to do. */
const mostCounted = 10_000;
/** How many rows of a table are looked at to estimate a sum. */
const mostSampled = 20_000;

/** Partitions count with their table. An estimate below 0: the table was never analysed. */
const selectTables = `SELECT coalesce(pg_partition_root(c.oid), c.oid)::regclass::text AS name,
    sum(pg_total_relation_size(c.oid))::float8 AS bytes, sum(greatest(c.reltuples, 0)) FILTER (WHERE c.relkind = 'r')::float8 AS rows
  FROM pg_class c WHERE c.relnamespace = current_schema()::text::regnamespace AND c.relkind IN ('r', 'p') GROUP BY 1`;
const selectDatabaseBytes = 'SELECT pg_database_size(current_database())::float8 AS bytes';

/** SQL that counts rows up to a bound. */
const bounded = (rows: string) => `(SELECT count(*) FROM (SELECT FROM ${rows} LIMIT ${mostCounted + 1}) AS part)::int`;
const countSome = `SELECT ${bounded('users WHERE deleted_at IS NULL')} AS people, ${bounded('servers')} AS servers,
  ${bounded('messages WHERE deleted_at IS NULL')} AS messages,
  ${bounded('report_cases WHERE decided_at IS NULL AND (server_id IS NULL OR to_operators)')} AS "openReports",
  ${bounded('jobs WHERE died_at IS NOT NULL')} AS "deadJobs"`;

type StoredKind = (typeof storageKinds)[number];

/** The tables of what people store, with the column of its bytes, and which rows are meant. */
const storedIn = {
  attachments: ['attachments', 'size', 'true'],
  workspaces: ['workspace_nodes', 'size_bytes', "kind = 'file'"],
  versions: ['workspace_versions', 'size_bytes', 'true'],
  apps: ['app_files', 'size_bytes', 'true'],
  pictures: ['pictures', 'bytes', 'true'],
  exports: ['account_exports', 'size', 'size IS NOT NULL'],
} as const satisfies Record<StoredKind, readonly [table: string, bytes: string, isMeant: string]>;

/** $1 how many of 100 blocks of the table are read. */
const sample = ([table, column, isMeant]: readonly [table: string, bytes: string, isMeant: string]) =>
  `SELECT count(*)::int AS count, coalesce(sum(${column}), 0)::float8 AS bytes FROM ${table} TABLESAMPLE SYSTEM ($1) WHERE ${isMeant}`;

interface TableSize {
  name: string;
  bytes: number;
  /** As PostgreSQL estimates them. */
  rows: number;
}

type Counted = Record<'people' | 'servers' | 'messages' | 'openReports' | 'deadJobs', number>;

/** How many there are, of which no more than that are counted. */
export interface Rough {
  count: number;
  isAbout: boolean;
}

/** What is known of the installation without counting anything large. */
export const installationTable = {
  async tables(rows: Rows): Promise<Map<string, TableSize>> {
    return new Map((await rows<TableSize>(selectTables)).map((table) => [table.name, table]));
  },

  async databaseBytes(rows: Rows): Promise<number> {
    return (await rows<{ bytes: number }>(selectDatabaseBytes))[0]?.bytes ?? 0;
  },

  async counts(rows: Rows): Promise<Counted> {
    const none = { people: 0, servers: 0, messages: 0, openReports: 0, deadJobs: 0 };
    return (await rows<Counted>(countSome))[0] ?? none;
  },

  /** How much people have stored of a kind: of large tables by a sample of their blocks. */
  async stored(rows: Rows, kind: StoredKind, tables: Map<string, TableSize>): Promise<Rough & { bytes: number }> {
    const known = tables.get(storedIn[kind][0])?.rows ?? 0;
    const percent = known > mostSampled ? (mostSampled / known) * 100 : 100;
    const [found] = await rows<{ count: number; bytes: number }>(sample(storedIn[kind]), [percent]);
    const scaled = (value = 0) => Math.round((value * 100) / percent);
    return { count: scaled(found?.count), bytes: scaled(found?.bytes), isAbout: percent < 100 };
  },
};

/** @param estimate of all rows, for when there are more than were counted */
export const roughly = (counted: number, estimate = 0): Rough =>
  counted <= mostCounted
    ? { count: counted, isAbout: false }
    : { count: Math.max(mostCounted, Math.round(estimate)), isAbout: true };
