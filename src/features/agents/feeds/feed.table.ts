import type { Rows } from '../../../database/database.ts';

/** A bot's rooms, with the time since which it is in them: its own, and the channels it is in. $1 agent */
const places = `SELECT a.user_id AS stream_id, 'user' AS kind, a.created_at AS entered_at FROM agents a WHERE a.id = $1
  UNION ALL SELECT m.channel_id, 'channel', m.joined_at FROM agents a
    JOIN channel_members m ON m.user_id = a.user_id AND NOT m.excluded
    JOIN channels c ON c.id = m.channel_id AND c.deleted_at IS NULL WHERE a.id = $1`;

/** SQL of the number before the first event of a place since a time; that of the last one if there is none. */
const numberAt = (time: string): string => `coalesce((SELECT min(e.seq) - 1 FROM log_entries e
    WHERE e.stream_id = place.stream_id AND e.created_at >= ${time}), s.last_seq)`;

/** Null where there is no position. */
const behind = (seq: string): string => `CASE WHEN ${seq} IS NOT NULL THEN greatest(s.last_seq - ${seq}, 0) END`;

/** The rooms furthest behind, and the sums of all. $1 agent, $2 how many */
const state = `SELECT listed.*, (SELECT e.created_at FROM log_entries e
    WHERE e.stream_id = listed."streamId" AND e.seq > listed.reached ORDER BY e.seq LIMIT 1) AS "waitingSince"
  FROM (
    SELECT place.kind, place.stream_id AS "streamId", s.last_seq AS head,
      w.seq AS "webhookSeq", w.delivered_at AS "deliveredAt", f.seq AS "pollSeq", f.polled_at AS "polledAt",
      f.replay_after AS "replayAfter", least(w.seq, f.seq, s.last_seq) AS reached,
      (sum(${behind('w.seq')}) OVER ())::float8 AS "webhookLag", (sum(${behind('f.seq')}) OVER ())::float8 AS "pollLag",
      (count(*) FILTER (WHERE s.last_seq > w.seq) OVER ())::int AS "webhookRooms",
      (count(*) FILTER (WHERE s.last_seq > f.seq) OVER ())::int AS "pollRooms"
    FROM (${places}) AS place JOIN streams s ON s.id = place.stream_id
    LEFT JOIN webhook_cursors w ON w.agent_id = $1 AND w.stream_id = place.stream_id
    LEFT JOIN agent_feeds f ON f.agent_id = $1 AND f.stream_id = place.stream_id
    ORDER BY greatest(${behind('w.seq')}, ${behind('f.seq')}, 0) DESC, place.stream_id LIMIT $2
  ) AS listed`;

export interface RoomState {
  kind: 'channel' | 'user';
  streamId: string;
  head: number;
  webhookSeq: number | null;
  deliveredAt: Date | string | null;
  pollSeq: number | null;
  polledAt: Date | string | null;
  replayAfter: number | null;
  waitingSince: Date | string | null;
  /** Of all rooms; null: none has begun that way. */
  webhookLag: number | null;
  pollLag: number | null;
  webhookRooms: number;
  pollRooms: number;
}

/** How far a bot is in its rooms, those furthest behind first. */
export function feedStates(rows: Rows, agentId: string, limit: number): Promise<RoomState[]> {
  return rows<RoomState>(state, [agentId, limit]);
}

/**
 * A poll that is told to go back is repeated until the bot does; one that ignores it five times is let go on. What has not
 * changed is written again only after a while.
 */
const note = `INSERT INTO agent_feeds AS f (agent_id, stream_id, seq) VALUES ($1, $2, $3)
  ON CONFLICT (agent_id, stream_id) DO UPDATE SET seq = excluded.seq, polled_at = now(),
    replay_after = CASE WHEN f.replay_after < excluded.seq AND f.told < 5 THEN f.replay_after END,
    told = CASE WHEN f.replay_after < excluded.seq AND f.told < 5 THEN f.told + 1 ELSE 0 END
  WHERE f.seq <> excluded.seq OR f.replay_after IS NOT NULL OR f.polled_at < now() - interval '10 seconds'
  RETURNING f.replay_after AS "replayAfter"`;

/** A bot polls a room. @returns the number that it is to go back to; null: it goes on */
export async function notePoll(rows: Rows, agentId: string, streamId: string, after: number): Promise<number | null> {
  const [row] = await rows<{ replayAfter: number | null }>(note, [agentId, streamId, after]);
  return row?.replayAfter ?? null;
}

/** $1 agent, $2 room or null, $3 number or null, $4 time or null. The lease holder stops when it next advances a cursor. */
const sendBack = `WITH place AS (${places}), target AS MATERIALIZED (
    SELECT place.stream_id, greatest(s.floor_seq, ${numberAt('place.entered_at')},
      least(s.last_seq, coalesce($3::bigint, ${numberAt('$4::timestamptz')}))) AS after
    FROM place JOIN streams s ON s.id = place.stream_id WHERE $2::uuid IS NULL OR place.stream_id = $2
  ), delivered AS (
    UPDATE webhook_cursors c SET seq = target.after, attempts = 0, failing_since = NULL, due_at = now(), lease = NULL,
      leased_until = NULL
    FROM target WHERE c.agent_id = $1 AND c.stream_id = target.stream_id AND c.seq > target.after
  ), polled AS (
    UPDATE agent_feeds f SET replay_after = target.after, told = 0
    FROM target WHERE f.agent_id = $1 AND f.stream_id = target.stream_id
  )
  SELECT stream_id AS "streamId", after FROM target`;

/**
 * Sends a bot back, by webhook and by polls, no further than the log reaches and than it has been in a room.
 * @param wanted a room, or null for all; a number of it, or a time
 * @returns the numbers from behind which it gets events again
 */
export function sendBackTo(
  rows: Rows,
  agentId: string,
  wanted: { streamId: string | null; after: number | null; at: string | null },
): Promise<{ streamId: string; after: number }[]> {
  return rows(sendBack, [agentId, wanted.streamId, wanted.after, wanted.at]);
}

/** How far a rehearsal is to be played in each room. $1 agent, $2 rehearsal, $3 since when */
const playAgain = `INSERT INTO rehearsal_feeds (rehearsal_id, stream_id, from_seq, until_seq)
  SELECT $2, place.stream_id, greatest(s.floor_seq, ${numberAt('greatest(place.entered_at, $3::timestamptz)')}), s.last_seq
  FROM (${places}) AS place JOIN streams s ON s.id = place.stream_id`;

/** Notes what is played again to a new version of a bot. */
export async function insertRehearsalFeeds(
  rows: Rows,
  agentId: string,
  rehearsalId: string,
  since: Date,
): Promise<void> {
  await rows(playAgain, [agentId, rehearsalId, since]);
}

export interface PlayedFeed {
  from: number;
  until: number;
  /** Up to where it was given; null: it has not begun. */
  given: number | null;
}

const played = `SELECT from_seq AS "from", until_seq AS "until", given_seq AS given FROM rehearsal_feeds
  WHERE rehearsal_id = $1 AND stream_id = $2`;
const give = `UPDATE rehearsal_feeds SET given_seq = greatest(given_seq, $3::bigint) WHERE rehearsal_id = $1 AND stream_id = $2
  AND given_seq IS DISTINCT FROM greatest(given_seq, $3::bigint)`;

/** What a rehearsal has of a room; undefined: the bot was not there when it began. */
export async function playedFeed(rows: Rows, rehearsalId: string, streamId: string): Promise<PlayedFeed | undefined> {
  return (await rows<PlayedFeed>(played, [rehearsalId, streamId]))[0];
}

export async function noteGiven(rows: Rows, rehearsalId: string, streamId: string, seq: number): Promise<void> {
  await rows(give, [rehearsalId, streamId, seq]);
}

/** Bots that polled lately, and webhooks that work: events that wait, and for how long the oldest has, of those furthest behind. */
const lagging = (from: string) => `WITH late AS (
    SELECT c.stream_id, c.seq, s.last_seq - c.seq AS lag FROM ${from} JOIN streams s ON s.id = c.stream_id AND s.last_seq > c.seq
  )
  SELECT coalesce((SELECT sum(lag) FROM late), 0)::float8 AS events, coalesce((
    SELECT max(extract(epoch FROM now() - (SELECT e.created_at FROM log_entries e
      WHERE e.stream_id = worst.stream_id AND e.seq > worst.seq ORDER BY e.seq LIMIT 1)))
    FROM (SELECT stream_id, seq FROM late ORDER BY lag DESC LIMIT 50) AS worst), 0)::float8 AS seconds`;
const lagOfWebhooks = lagging(`webhook_cursors c JOIN webhooks w ON w.agent_id = c.agent_id AND w.state = 'active'`);
const lagOfPolls = lagging(`(SELECT * FROM agent_feeds WHERE polled_at > now() - interval '1 hour') AS c`);

export interface Lag {
  events: number;
  seconds: number;
}

/** How far all bots are behind, by the way in which they get events. */
export async function lagOfAll(rows: Rows): Promise<{ webhook: Lag; poll: Lag }> {
  const none = { events: 0, seconds: 0 };
  const [webhook = none] = await rows<Lag>(lagOfWebhooks, []);
  const [poll = none] = await rows<Lag>(lagOfPolls, []);
  return { webhook, poll };
}
