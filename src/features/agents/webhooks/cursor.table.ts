import { randomUUID } from 'node:crypto';
import type { LogEntry } from '../../../cluster/entry.ts';
import { channelRoom, type Room, userRoom } from '../../../contract/rooms.ts';
import { isoTime } from '../../../contract/schema.ts';
import type { Database, Rows } from '../../../database/database.ts';
import { byAge, recentFirst } from '../../../database/partitions/recent.ts';
import type { Delivery } from '../../../delivery/delivery.ts';
import type { FailingRow, ProgressRow } from './webhook.view.ts';

/** A room of a webhook that this node has claimed. */
export interface Claim {
  agentId: string;
  userId: string;
  room: Room;
  streamId: string;
  /** Everything up to here was delivered, or not meant for the bot. */
  seq: number;
  /** Failed attempts for the next event. */
  attempts: number;
  url: string;
  secret: string;
  /** Sealed like the secret, separated by spaces; null when none signs any more. */
  previousSecrets: string | null;
  lease: string;
}

/** An event of a room's log, to be delivered. */
export interface LoggedEvent extends LogEntry {
  at: string;
}

/** What the log has after a cursor. */
export interface LogPiece {
  entries: LoggedEvent[];
  /** Everything up to this has left the log undelivered. Null: nothing is missing. */
  lostUpTo: number | null;
}

/** How many rooms are started with one statement, so that none takes long. */
const beginAtOnce = 2000;
/** A bot's rooms: its own, and the channels it is in, DMs among them. */
const places = `SELECT a.user_id AS stream_id, 'user' AS kind, w.created_at AS entered_at
  UNION ALL SELECT m.channel_id, 'channel', m.joined_at
    FROM channel_members m JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL
    WHERE m.user_id = a.user_id AND NOT m.excluded`;
/**
 * Starts a room at the first event since the bot is in it and has a webhook. Events are numbered when their transactions
 * end but carry the time at which those began, so the search starts well before.
 */
const beginAmong = (which: string) => `WITH missing AS MATERIALIZED (
    SELECT w.agent_id, place.*, greatest(place.entered_at, w.created_at) AS since
    FROM webhooks w JOIN agents a ON a.id = w.agent_id CROSS JOIN LATERAL (${places}) AS place
    WHERE NOT EXISTS (SELECT FROM webhook_cursors c WHERE c.agent_id = w.agent_id
      AND c.stream_id = place.stream_id AND c.entered_at = place.entered_at) ${which} LIMIT ${beginAtOnce}
  ), begun AS (
    SELECT missing.*, coalesce((
      SELECT min(e.seq) - 1 FROM log_entries e WHERE e.stream_id = missing.stream_id AND e.created_at >= since
        AND e.seq > coalesce((SELECT o.seq FROM log_entries o WHERE o.stream_id = missing.stream_id
          AND o.created_at < since - interval '1 minute' ORDER BY o.seq DESC LIMIT 1), s.floor_seq)
    ), s.last_seq) AS seq FROM missing JOIN streams s ON s.id = missing.stream_id
  )
  INSERT INTO webhook_cursors (agent_id, stream_id, kind, entered_at, seq)
  SELECT agent_id, stream_id, kind, entered_at, seq FROM begun ORDER BY agent_id, stream_id
  ON CONFLICT (agent_id, stream_id) DO UPDATE SET entered_at = excluded.entered_at, seq = excluded.seq, attempts = 0,
    failing_since = NULL, due_at = now(), lease = NULL, leased_until = NULL RETURNING seq`;
const endAmong = (
  which: string,
) => `DELETE FROM webhook_cursors c USING agents a WHERE a.id = c.agent_id AND c.kind = 'channel'
  AND NOT EXISTS (SELECT FROM channel_members m WHERE m.channel_id = c.stream_id AND m.user_id = a.user_id
    AND NOT m.excluded AND m.joined_at = c.entered_at) ${which}`;
const [beginAll, endAll] = [beginAmong(''), endAmong('')];
const beginSome = beginAmong('AND w.agent_id = ANY($1::uuid[])');
const endSome = endAmong('AND c.agent_id = ANY($1::uuid[])');
/** A row for each room, however many bots are in it, and a text of their ids, since an array takes long to be parsed. */
const known = `SELECT c.stream_id AS "streamId", string_agg(c.agent_id::text, ' ') AS "agentIds" FROM webhook_cursors c
  JOIN webhooks w ON w.agent_id = c.agent_id AND w.state = 'active' GROUP BY c.stream_id`;

/** A room without failures waits only for moments: a longer wait dates from before PostgreSQL's clock was set back. */
const isDue = (cursor: string) => `(${cursor}.due_at <= now()
    OR (${cursor}.attempts = 0 AND ${cursor}.due_at > now() + interval '1 minute'))`;
const due = `SELECT DISTINCT c.agent_id AS "agentId" FROM webhook_cursors c
  JOIN webhooks w ON w.agent_id = c.agent_id AND w.state = 'active'
  JOIN agents a ON a.id = c.agent_id AND a.status <> 'stopped'
  JOIN users o ON o.id = a.owner_id AND o.suspended_at IS NULL
  JOIN streams s ON s.id = c.stream_id AND s.last_seq > c.seq
  WHERE ${isDue('c')} AND (c.leased_until IS NULL OR c.leased_until <= now())`;
/** $1 lease, $2 its seconds, $3 agents, $4 how many rooms of each, $5 how many in all. */
const claim = `UPDATE webhook_cursors c
  SET lease = $1, leased_until = now() + make_interval(secs => $2)
  FROM (
    SELECT w.agent_id, due.stream_id, a.user_id, w.url, w.secret,
      CASE WHEN w.previous_until > now() THEN w.previous_secret END AS previous_secrets
    FROM unnest($3::uuid[], $4::int[]) AS free (agent_id, rooms) JOIN webhooks w ON w.agent_id = free.agent_id
    JOIN agents a ON a.id = w.agent_id AND a.status <> 'stopped'
    JOIN users o ON o.id = a.owner_id AND o.suspended_at IS NULL
    CROSS JOIN LATERAL (
      SELECT d.stream_id FROM webhook_cursors d
      LEFT JOIN channel_members m ON m.channel_id = d.stream_id AND m.user_id = a.user_id
      WHERE d.agent_id = w.agent_id AND ${isDue('d')} AND (d.leased_until IS NULL OR d.leased_until <= now())
        AND (SELECT s.last_seq FROM streams s WHERE s.id = d.stream_id) > d.seq
        AND (d.kind = 'user' OR (m.joined_at = d.entered_at AND NOT m.excluded))
      ORDER BY d.due_at LIMIT free.rooms FOR UPDATE OF d SKIP LOCKED
    ) AS due
    WHERE w.state = 'active' LIMIT $5
  ) AS due
  WHERE c.agent_id = due.agent_id AND c.stream_id = due.stream_id
  RETURNING c.agent_id AS "agentId", c.stream_id AS "streamId", c.kind, c.seq, c.attempts, c.lease,
    due.user_id AS "userId", due.url, due.secret, due.previous_secrets AS "previousSecrets"`;

const reads = byAge(
  (when) => `SELECT e.seq, e.event, e.thread_id AS "threadId", e.data::text AS json, e.is_outdated AS "isOutdated",
    e.created_at AS at FROM log_entries e WHERE e.stream_id = $1 AND e.seq > $2 ${when} ORDER BY e.seq LIMIT $3`,
);
const floorOf = 'SELECT floor_seq AS floor FROM streams WHERE id = $1';

const held = 'WHERE agent_id = $1 AND stream_id = $2 AND lease = $3';
const advance = `UPDATE webhook_cursors SET seq = $4, attempts = 0, failing_since = NULL,
    delivered_at = CASE WHEN $5 THEN now() ELSE delivered_at END, leased_until = now() + make_interval(secs => $6)
  ${held} RETURNING seq`;
const renew = `UPDATE webhook_cursors c SET leased_until = now() + make_interval(secs => $4)
  FROM (
    SELECT d.agent_id, d.stream_id FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS held (agent_id, stream_id, lease)
    JOIN webhook_cursors d ON d.agent_id = held.agent_id AND d.stream_id = held.stream_id AND d.lease = held.lease
    FOR UPDATE OF d SKIP LOCKED
  ) AS mine WHERE c.agent_id = mine.agent_id AND c.stream_id = mine.stream_id`;
const release = `UPDATE webhook_cursors SET lease = NULL, leased_until = NULL,
    due_at = now() + make_interval(secs => $4) ${held}`;
const inChannel = `SELECT m.user_id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.channel_id = $1 AND m.user_id = $2 AND NOT m.excluded AND c.deleted_at IS NULL`;
const putOff = `UPDATE webhook_cursors SET attempts = attempts + 1, failing_since = coalesce(failing_since, now()),
    failed_at = now(), error = $4, due_at = now() + make_interval(secs => $5), lease = NULL, leased_until = NULL
  ${held} RETURNING extract(epoch FROM now() - failing_since)::float8 AS "failingSeconds"`;

/** For when its receiver may have changed. The lease holder stops when it next advances a cursor. */
const restart = `UPDATE webhook_cursors c SET attempts = 0, failing_since = NULL, due_at = now(), lease = NULL,
    leased_until = NULL, seq = CASE WHEN $2 THEN s.last_seq ELSE c.seq END
  FROM streams s WHERE s.id = c.stream_id AND c.agent_id = $1`;
const progress = `SELECT coalesce(sum(s.last_seq - c.seq), 0)::int AS pending, min(c.failing_since) AS "failingSince",
    max(c.delivered_at) AS "lastDeliveredAt", max(c.failed_at) AS "lastErrorAt",
    (array_agg(c.error ORDER BY c.failed_at DESC NULLS LAST))[1] AS "lastError"
  FROM webhook_cursors c JOIN streams s ON s.id = c.stream_id WHERE c.agent_id = $1`;
const failing = `SELECT kind, stream_id AS "streamId", seq, attempts, error, failing_since AS since, due_at AS "dueAt"
  FROM webhook_cursors WHERE agent_id = $1 AND failing_since IS NOT NULL ORDER BY failing_since LIMIT 20`;

/** Retries all rooms of a webhook at once. @param skip continues from now instead */
export async function restartCursors(rows: Rows, agentId: string, skip: boolean): Promise<void> {
  await rows(restart, [agentId, skip]);
}

/** How far the delivery to a webhook is. */
export async function progressOf(rows: Rows, agentId: string): Promise<ProgressRow> {
  const none = { pending: 0, failingSince: null, lastDeliveredAt: null, lastErrorAt: null, lastError: null };
  return (await rows<ProgressRow>(progress, [agentId]))[0] ?? none;
}

/** The rooms that fail the longest. */
export function failingRooms(rows: Rows, agentId: string): Promise<FailingRow[]> {
  return rows<FailingRow>(failing, [agentId]);
}

interface ClaimRow extends Omit<Claim, 'room'> {
  kind: 'channel' | 'user';
}

interface EntryRow extends Omit<LoggedEvent, 'room' | 'at' | 'isOutdated'> {
  at: Date | string;
  isOutdated: boolean;
}

/**
 * The position up to which each room was delivered to each webhook: durable, and advanced by one node at a time. The
 * leases of a dead node expire, and another one continues from there.
 */
export class WebhookCursors {
  private readonly database: Database;
  private readonly delivery: Pick<Delivery, 'renewal'>;
  private readonly leaseSeconds: number;

  constructor(database: Database, delivery: Pick<Delivery, 'renewal'>, leaseSeconds: number) {
    this.database = database;
    this.delivery = delivery;
    this.leaseSeconds = leaseSeconds;
  }

  /** Adjusts the cursors to the rooms of bots. @param among only of these agents; null: of all */
  async follow(among: string[] | null): Promise<void> {
    const values = among ? [among] : [];
    for (let begun = beginAtOnce; begun === beginAtOnce; ) {
      begun = (await this.database.rows(among ? beginSome : beginAll, values)).length;
    }
    await this.database.rows(among ? endSome : endAll, values);
  }

  /** The agents whose webhooks subscribe to a room, by the id of its stream. */
  async audience(): Promise<Map<string, string[]>> {
    const rows = await this.database.rows<{ streamId: string; agentIds: string }>(known);
    return new Map(rows.map(({ streamId, agentIds }) => [streamId, agentIds.split(' ')]));
  }

  /** Agents with deliveries due. */
  async due(): Promise<string[]> {
    return (await this.database.rows<{ agentId: string }>(due)).map(({ agentId }) => agentId);
  }

  /** Claims rooms with deliveries due. @param free how many of each agent's may be claimed, and `most` in all */
  async claim(free: Map<string, number>, most: number): Promise<Claim[]> {
    const values = [randomUUID(), this.leaseSeconds, [...free.keys()], [...free.values()], most];
    const rows = await this.database.rows<ClaimRow>(claim, values);
    return rows.map(({ kind, ...row }) => ({ ...row, room: (kind === 'user' ? userRoom : channelRoom)(row.streamId) }));
  }

  /** The events after `after`, oldest first, with their current text (contract §6). */
  async read({ room, streamId }: Claim, after: number, limit: number): Promise<LogPiece> {
    const values = [streamId, after, limit];
    const rows = await recentFirst(after, (age) => this.database.rows<EntryRow>(reads[age], values));
    const logged = rows.map(({ isOutdated, at, ...row }) => {
      const entry = { ...row, room, at: isoTime(at) };
      return isOutdated ? { ...entry, isOutdated } : entry;
    });
    const entries = await this.delivery.renewal.complete(logged);
    if (entries[0]?.seq === after + 1) return { entries, lostUpTo: null };
    const [stream] = await this.database.rows<{ floor: number }>(floorOf, [streamId]);
    const reached = entries[0] ? entries[0].seq - 1 : (stream?.floor ?? 0);
    return { entries, lostUpTo: reached > after ? reached : null };
  }

  /** Advances to `seq` and renews the lease. @returns false if the lease is lost */
  async advance({ agentId, streamId, lease }: Claim, seq: number, delivered: boolean): Promise<boolean> {
    const values = [agentId, streamId, lease, seq, delivered, this.leaseSeconds];
    return (await this.database.rows<{ seq: number }>(advance, values)).length > 0;
  }

  /** Renews the leases of rooms in delivery; lost ones are skipped. */
  async renew(claims: Claim[]): Promise<void> {
    await this.database.rows(renew, [
      claims.map(({ agentId }) => agentId),
      claims.map(({ streamId }) => streamId),
      claims.map(({ lease }) => lease),
      this.leaseSeconds,
    ]);
  }

  /** Releases a room, for anyone to claim after `waitMs`. */
  async release({ agentId, streamId, lease }: Claim, waitMs = 0): Promise<void> {
    await this.database.rows(release, [agentId, streamId, lease, waitMs / 1000]);
  }

  /** Whether the bot is in the channel, according to the database. */
  async isIn({ streamId, userId }: Claim): Promise<boolean> {
    return (await this.database.rows(inChannel, [streamId, userId])).length > 0;
  }

  /**
   * The next event has failed: it is retried after `delayMs`.
   * @returns for how many seconds it has been failing; undefined if the lease is lost
   */
  async putOff({ agentId, streamId, lease }: Claim, error: string, delayMs: number): Promise<number | undefined> {
    const values = [agentId, streamId, lease, error, delayMs / 1000];
    const [row] = await this.database.rows<{ failingSeconds: number }>(putOff, values);
    return row?.failingSeconds;
  }
}
