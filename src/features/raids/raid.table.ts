import type { Rows } from '../../database/database.ts';

/** What a server that has never set it has (contract §5). */
const usual = { mode: 'off', forced: false, joins: 20, seconds: 60, minutes: 30 } as const;

const isOn = (now: string) =>
  `(r.since IS NOT NULL AND (r.forced OR r.exceeded_at + make_interval(mins => r.minutes) > ${now}))`;

/**
 * Counts a join that is about to happen. Exact: it exceeds the rate where the join that came `joins` before it is not yet
 * `seconds` ago. Whoever is among the last ones already is not counted again.
 */
const countOne = `WITH seen AS (
    SELECT r.*, $2::uuid = ANY(r.recent_ids) AS is_known, ${isOn('$3::timestamptz')} AS was_on,
      r.recent_at[cardinality(r.recent_at) - r.joins + 1] AS first_at
    FROM server_raids r WHERE r.server_id = $1 AND (r.forced OR r.mode = 'auto') FOR UPDATE
  ), counted AS (
    SELECT seen.*, NOT is_known AND mode = 'auto' AND cardinality(recent_at) >= joins
      AND first_at > $3::timestamptz - make_interval(secs => seconds) AS exceeds
    FROM seen
  )
  UPDATE server_raids r SET
    recent_at = CASE WHEN c.is_known THEN r.recent_at
      ELSE (r.recent_at || $3::timestamptz)[greatest(1, cardinality(r.recent_at) + 2 - r.joins):] END,
    recent_ids = CASE WHEN c.is_known THEN r.recent_ids
      ELSE (r.recent_ids || $2::uuid)[greatest(1, cardinality(r.recent_ids) + 2 - r.joins):] END,
    exceeded_at = CASE WHEN c.exceeds THEN $3::timestamptz ELSE r.exceeded_at END,
    since = CASE WHEN c.was_on THEN r.since WHEN c.exceeds THEN c.first_at END
  FROM counted c WHERE r.server_id = c.server_id
  RETURNING c.was_on OR c.exceeds AS "isOn", c.exceeds AND NOT c.was_on AS began`;

const selectState = `SELECT mode, forced, joins, seconds, minutes, ${isOn('$2::timestamptz')} AS "isOn", since,
    exceeded_at + make_interval(mins => minutes) AS until FROM server_raids r WHERE server_id = $1`;
const write = `INSERT INTO server_raids AS r (server_id, mode, forced, joins, seconds, minutes, since)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (server_id) DO UPDATE SET mode = $2, forced = $3, joins = $4, seconds = $5, minutes = $6, since = $7,
    recent_at = CASE WHEN $8 THEN '{}' ELSE r.recent_at END, recent_ids = CASE WHEN $8 THEN '{}' ELSE r.recent_ids END`;
const over = 'UPDATE server_raids SET since = NULL WHERE server_id = $1';

/** What is set, and whether it is on. */
export interface RaidState {
  mode: 'off' | 'auto';
  /** Switched on until it is switched off. */
  forced: boolean;
  joins: number;
  seconds: number;
  minutes: number;
  isOn: boolean;
  since: Date | string | null;
  /** When it ends by itself, if it was turned on by joins. */
  until: Date | string | null;
}

/** Counts a join, with the server locked. Undefined: nothing is counted there. @returns whether it is held */
export async function countJoin(
  rows: Rows,
  serverId: string,
  userId: string,
  now: Date,
): Promise<{ isOn: boolean; began: boolean } | undefined> {
  const [counted] = await rows<{ isOn: boolean; began: boolean }>(countOne, [serverId, userId, now]);
  return counted;
}

export async function readRaid(rows: Rows, serverId: string, now: Date): Promise<RaidState> {
  const [state] = await rows<RaidState>(selectState, [serverId, now]);
  return state ?? { ...usual, isOn: false, since: null, until: null };
}

/** Sets all of it, with the server locked. @param forgets whether counting begins anew */
export async function writeRaid(
  rows: Rows,
  serverId: string,
  { mode, forced, joins, seconds, minutes, since }: Omit<RaidState, 'isOn' | 'until'>,
  forgets: boolean,
): Promise<void> {
  await rows(write, [serverId, mode, forced, joins, seconds, minutes, since, forgets]);
}

/** It has ended by itself. */
export async function endRaid(rows: Rows, serverId: string): Promise<void> {
  await rows(over, [serverId]);
}
