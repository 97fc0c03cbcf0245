import type pg from 'pg';

/** Which database a server has, and how much of its write-ahead log. */
export interface Standing {
  /** Given to a cluster when it is made; its physical copies have the same. */
  system: string;
  database: string;
  /** Which history the log is of: each promotion of a replica begins another one. */
  timeline: number;
  /** Bytes of the log that everything visible is in; of a replica, that it has replayed. Null: it is not what it should be. */
  position: number | null;
}

/** Where the primary was when it was asked. */
export type Position = Pick<Standing, 'timeline'> & { position: number };

/**
 * What is visible to others was flushed before, unless commits do not wait for that. Not `insert` alone: a replica gets
 * what is flushed, and the rest may take another 200 ms.
 */
const lsn = `SELECT CASE WHEN current_setting('synchronous_commit') = 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END AS lsn`;
const ofPrimary = `('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int AS timeline, (lsn - '0/0')::bigint AS position`;
const origin = `(SELECT system_identifier FROM pg_control_system())::text AS system,
  (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database`;
/** Of a server that was promoted the timeline is that of its next checkpoint at the latest. */
const replayedTimeline = `greatest((SELECT timeline_id FROM pg_control_checkpoint()),
  (SELECT min_recovery_end_timeline FROM pg_control_recovery())) AS timeline`;
/** Null for a server that is no replica, or no longer. */
const replayed = `CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::bigint END AS position`;

/** The position of the primary, after which everything is that is visible by now. */
export const selectPosition = `SELECT ${ofPrimary} FROM (${lsn}) AS now`;
export const selectPrimary = `SELECT ${origin}, ${ofPrimary} FROM (${lsn}) AS now`;
export const selectReplica = `SELECT ${origin}, ${replayedTimeline}, ${replayed}`;

/** @param select what is asked of a primary, or of a replica. @returns undefined if it says nothing */
export async function readStanding(client: pg.ClientBase, select: string): Promise<Standing | undefined> {
  return (await client.query<Standing>(select)).rows[0];
}

const selectReplayed = `SELECT ${replayed}`;

/** How far a replica is. */
export async function readReplayed(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<Pick<Standing, 'position'>>({ name: 'replayed', text: selectReplayed });
  return rows[0]?.position ?? null;
}

/** Why a server is no replica of the primary that can be read from; null: it is one. */
export function mismatch(own: Standing | undefined, primary: Standing): string | null {
  if (!own || own.system !== primary.system || own.database !== primary.database) {
    return 'it has another database than that of DATABASE_URL';
  }
  if (own.position === null) return 'it is no replica: it takes writes';
  if (own.timeline !== primary.timeline) return 'it has not followed the primary through a failover';
  return null;
}
