import { maxRehearsals } from '../../../contract/rehearsal.ts';
import type { Rows } from '../../../database/database.ts';

/** A rehearsal, and how far it is. */
export interface RehearsalRow {
  id: string;
  agentId: string;
  name: string;
  since: Date | string;
  createdAt: Date | string;
  endsAt: Date | string;
  isRunning: boolean;
  captured: number;
  rooms: number;
  playedRooms: number;
}

const columns = `r.id, r.agent_id AS "agentId", r.name, r.since, r.created_at AS "createdAt", r.ends_at AS "endsAt",
    r.ends_at > now() AS "isRunning", r.captured, feeds.rooms, feeds.played AS "playedRooms"
  FROM rehearsals r CROSS JOIN LATERAL (
    SELECT count(*)::int AS rooms, (count(*) FILTER (WHERE f.given_seq >= f.until_seq))::int AS played
    FROM rehearsal_feeds f WHERE f.rehearsal_id = r.id
  ) AS feeds`;
const list = `SELECT ${columns} WHERE r.agent_id = $1 ORDER BY r.id DESC LIMIT ${maxRehearsals}`;
const one = `SELECT ${columns} WHERE r.agent_id = $1 AND r.id = $2`;
const isRunning = 'SELECT 1 AS one FROM rehearsals WHERE agent_id = $1 AND ends_at > now()';
const insert = `INSERT INTO rehearsals (id, agent_id, name, since, ends_at) VALUES ($1, $2, $3, $4, $5)`;
const makeRoom = `DELETE FROM rehearsals WHERE id IN (
    SELECT id FROM rehearsals WHERE agent_id = $1 ORDER BY id DESC OFFSET ${maxRehearsals})`;
const end = `UPDATE rehearsals SET ends_at = least(ends_at, date_trunc('milliseconds', now())) WHERE agent_id = $1 AND id = $2`;
const forget = `DELETE FROM rehearsals WHERE id IN (
    SELECT id FROM rehearsals WHERE ends_at < now() - interval '30 days' ORDER BY id LIMIT 10) RETURNING 1 AS one`;

export function rehearsalsOf(rows: Rows, agentId: string): Promise<RehearsalRow[]> {
  return rows<RehearsalRow>(list, [agentId]);
}

export async function findRehearsal(rows: Rows, agentId: string, id: string): Promise<RehearsalRow | undefined> {
  return (await rows<RehearsalRow>(one, [agentId, id]))[0];
}

/** Whether a bot has a rehearsal that runs. */
export async function hasRunning(rows: Rows, agentId: string): Promise<boolean> {
  return (await rows(isRunning, [agentId])).length > 0;
}

/** Makes room for it among those of the bot. */
export async function insertRehearsal(
  rows: Rows,
  { id, agentId, name, since, endsAt }: { id: string; agentId: string; name: string; since: Date; endsAt: Date },
): Promise<void> {
  await rows(insert, [id, agentId, name, since, endsAt]);
  await rows(makeRoom, [agentId]);
}

export async function endRehearsal(rows: Rows, agentId: string, id: string): Promise<void> {
  await rows(end, [agentId, id]);
}

/** Forgets some that ended long ago. @returns how many */
export async function forgetRehearsals(rows: Rows): Promise<number> {
  return (await rows(forget, [])).length;
}

/** A message that a bot has sent, or would have. */
export interface Said {
  id: string;
  channelId: string;
  threadId: string | null;
  /** The number that it says to answer, or that of the message that it replies to. */
  answersTo: number | null;
  /** The same for the same text. */
  digest: string;
  createdAt: Date | string;
}

/** Texts are compared without being read here. */
const digestOf = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'base64')`;
const sent = `SELECT id, "channelId", "threadId", "answersTo", ${digestOf('content')} AS digest, "createdAt" FROM (
    SELECT m.id, m.channel_id AS "channelId", m.thread_id AS "threadId", coalesce(m.answers_to, q.seq) AS "answersTo",
      m.content, m.created_at AS "createdAt", m.seq
    FROM rehearsal_feeds f JOIN messages m ON m.channel_id = f.stream_id AND m.seq > f.from_seq AND m.seq <= f.until_seq
      AND m.author_id = $2 AND m.deleted_at IS NULL
    LEFT JOIN messages q ON q.channel_id = m.channel_id AND q.id = m.reply_to_id
    WHERE f.rehearsal_id = $1 AND f.stream_id = ANY($3::uuid[]) AND f.given_seq > f.from_seq
      AND coalesce(m.answers_to, q.seq, m.seq) <= f.given_seq
    ORDER BY m.channel_id, m.seq LIMIT $4
  ) AS said ORDER BY "channelId", seq`;
const captured = `SELECT s.id, s.channel_id AS "channelId", s.thread_id AS "threadId", coalesce(s.answers_to, q.seq) AS "answersTo",
    ${digestOf('s.content')} AS digest, s.created_at AS "createdAt"
  FROM rehearsal_sends s LEFT JOIN messages q ON q.channel_id = s.channel_id AND q.id = s.reply_to_id
  WHERE s.rehearsal_id = $1 AND s.channel_id = ANY($2::uuid[]) ORDER BY s.channel_id, s.id LIMIT $3`;
/** $1 rehearsal, $2 channels, $3 messages */
const texts = `SELECT m.id, m.content FROM messages m WHERE m.channel_id = ANY($2::uuid[]) AND m.id = ANY($3::uuid[])
    AND m.deleted_at IS NULL
  UNION ALL SELECT s.id, s.content FROM rehearsal_sends s WHERE s.rehearsal_id = $1 AND s.id = ANY($3::uuid[])`;
const channels = `SELECT c.id FROM rehearsal_feeds f JOIN channels c ON c.id = f.stream_id AND c.deleted_at IS NULL
  WHERE f.rehearsal_id = $1 ORDER BY c.id`;

/** The channels that are played again. */
export async function playedChannels(rows: Rows, rehearsalId: string): Promise<string[]> {
  return (await rows<{ id: string }>(channels, [rehearsalId])).map(({ id }) => id);
}

/** What the bot itself has sent in the time that its new version was given, by channel, oldest first. */
export function sentThen(
  rows: Rows,
  rehearsalId: string,
  botUserId: string,
  channelIds: string[],
  limit: number,
): Promise<Said[]> {
  return rows<Said>(sent, [rehearsalId, botUserId, channelIds, limit]);
}

/** What the new version would have sent, by channel, oldest first. */
export function capturedNow(rows: Rows, rehearsalId: string, channelIds: string[], limit: number): Promise<Said[]> {
  return rows<Said>(captured, [rehearsalId, channelIds, limit]);
}

/** The texts of some that were sent or captured in these channels, by their ids. */
export async function textsOf(
  rows: Rows,
  rehearsalId: string,
  channelIds: string[],
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; content: string }>(texts, [rehearsalId, channelIds, ids]);
  return new Map(found.map(({ id, content }) => [id, content]));
}
