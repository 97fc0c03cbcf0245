import type { Vitals } from '../../contract/vitals.ts';
import type { Rows } from '../../database/database.ts';

/** A node that missed two announcements. */
const silentSeconds = 30;
const keptMinutes = 60;
/** More are never shown: so many nodes that died within an hour are a fault of their own. */
const most = 500;

const put = `INSERT INTO cluster_nodes (id, host, pid, version, started_at, seen_at, vitals)
  VALUES ($1, $2, $3, $4, now() - make_interval(secs => $5), now(), $6)
  ON CONFLICT (id) DO UPDATE SET seen_at = now(), vitals = excluded.vitals`;
const remove = 'DELETE FROM cluster_nodes WHERE id = $1';
const isSilent = `seen_at < now() - make_interval(secs => ${silentSeconds})`;
const selectAll = `SELECT id, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt", vitals,
    ${isSilent} AS "isSilent"
  FROM cluster_nodes ORDER BY started_at DESC, id LIMIT ${most}`;
const countAlive = `SELECT count(*)::int AS count FROM cluster_nodes WHERE NOT ${isSilent}`;
const forget = `DELETE FROM cluster_nodes WHERE seen_at < now() - make_interval(mins => ${keptMinutes}) RETURNING id`;

/** How a node announces itself. */
interface Announced {
  id: string;
  host: string;
  pid: number;
  version: string;
  vitals: Vitals | null;
}

interface NodeRow extends Announced {
  startedAt: Date | string;
  seenAt: Date | string;
  isSilent: boolean;
}

/** The statements about nodes. */
export const clusterNodes = {
  /** @param seconds for which it has run */
  async put(rows: Rows, { id, host, pid, version, vitals }: Announced, seconds: number): Promise<void> {
    await rows(put, [id, host, pid, version, seconds, vitals && JSON.stringify(vitals)]);
  },

  async remove(rows: Rows, id: string): Promise<void> {
    await rows(remove, [id]);
  },

  all: (rows: Rows) => rows<NodeRow>(selectAll),

  /** How many have announced themselves lately. */
  async alive(rows: Rows): Promise<number> {
    return (await rows<{ count: number }>(countAlive))[0]?.count ?? 0;
  },

  /** Forgets nodes that ended without a word. @returns how many */
  async forget(rows: Rows): Promise<number> {
    return (await rows(forget)).length;
  },
};
