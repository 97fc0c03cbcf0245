import type { Rows } from '../../database/database.ts';

/** How many of the newest messages of a channel the estimate looks at. */
const estimatedAmong = 200;

/** $1 server, $2 the channel before, or null, $3 the time since when it must have been used */
const nextChannel = `SELECT c.id FROM channels c
  WHERE c.server_id = $1 AND c.deleted_at IS NULL AND ($2::uuid IS NULL OR c.id > $2)
    AND (SELECT m.created_at FROM messages m WHERE m.channel_id = c.id ORDER BY m.seq DESC LIMIT 1) >= $3
  ORDER BY c.id LIMIT 1`;
/** $1 channel, $2 the number below which it reads, $3 author, $4 since, $5 until, $6 how many */
const piece = `SELECT min(seq)::bigint AS lowest, coalesce(max(created_at) < $4::timestamptz, true) OR count(*) < $6::int AS "isLast",
    coalesce(array_agg(id ORDER BY seq) FILTER (WHERE author_id = $3 AND deleted_at IS NULL
      AND created_at >= $4::timestamptz AND created_at <= $5::timestamptz), '{}') AS ids
  FROM (SELECT id, seq, author_id, created_at, deleted_at FROM messages
    WHERE channel_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $6::int) AS newest`;
const estimate = `SELECT count(*)::int AS count FROM channels c CROSS JOIN LATERAL (
    SELECT m.author_id, m.created_at, m.deleted_at FROM messages m
    WHERE m.channel_id = c.id ORDER BY m.seq DESC LIMIT ${estimatedAmong}) AS last
  WHERE c.server_id = $1 AND last.author_id = $2 AND last.created_at >= $3 AND last.deleted_at IS NULL`;

/** The next channel of a server, by id, in which anything was written since then. */
export async function channelAfter(
  rows: Rows,
  serverId: string,
  after: string | null,
  since: string,
): Promise<string | undefined> {
  return (await rows<{ id: string }>(nextChannel, [serverId, after, since]))[0]?.id;
}

/** Some messages of a channel, those of one author among them, and whether none before them are from the period. */
interface Piece {
  lowest: number | null;
  isLast: boolean;
  ids: string[];
}

/** Looks through the messages of a channel below a number, the newest first, for those of an author in a period. */
export async function lookThrough(
  rows: Rows,
  at: { channelId: string; before: number },
  { userId, since, until }: { userId: string; since: string; until: string },
  most: number,
): Promise<Piece> {
  const [found] = await rows<Piece>(piece, [at.channelId, at.before, userId, since, until, most]);
  return found ?? { lowest: null, isLast: true, ids: [] };
}

/** About how many messages of an author there are in a server since then; the least that there are. */
export async function estimateOf(rows: Rows, serverId: string, userId: string, since: Date): Promise<number> {
  return (await rows<{ count: number }>(estimate, [serverId, userId, since]))[0]?.count ?? 0;
}
