import type { Rows } from '../../database/database.ts';

/** A reply that is about to be written. */
interface Reply {
  threadId: string;
  seq: number;
  authorId: string;
  /** The people whom it names. */
  named: string[];
  createdAt: string;
}

/** Someone whom a reply names. */
export interface NamedIn extends Pick<Reply, 'threadId' | 'seq' | 'authorId' | 'createdAt'> {
  userId: string;
}

/** In threads of earlier versions, which older nodes still start, nobody is known to follow before the next reply. */
const count = `WITH known AS (
    SELECT id, last_seq = 0 AS "isEarlier" FROM threads WHERE id = ANY($1::uuid[])
  )
  UPDATE threads SET message_count = message_count + new.count, last_message_at = greatest(last_message_at, new.last),
    last_seq = greatest(last_seq, new.seq)
  FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::bigint[]) AS new (id, count, last, seq)
    JOIN known ON known.id = new.id
  WHERE threads.id = new.id AND deleted_at IS NULL AND NOT is_archived RETURNING threads.id, known."isEarlier"`;
const uncount = `UPDATE threads t SET message_count = message_count - 1, last_message_at = last.created_at,
    last_seq = CASE WHEN t.last_seq = 0 THEN 0 ELSE coalesce(last.seq, 0) END
  FROM (SELECT) AS one LEFT JOIN LATERAL (
    SELECT created_at, seq FROM messages WHERE thread_id = $1 AND deleted_at IS NULL ORDER BY seq DESC LIMIT 1
  ) AS last ON true WHERE t.id = $1`;
/**
 * Who writes has read up to there; who is named has not, and follows from there, unless by someone whom they have blocked. Muting ends neither by writing nor by
 * being named. Bots follow nothing. Rows are taken in one order.
 */
const followReplies = `INSERT INTO thread_follows AS f (thread_id, user_id, state, last_read_seq, is_unread, active_at)
  SELECT new.thread_id, new.user_id, 'following',
    coalesce(max(new.seq) FILTER (WHERE new.wrote), min(new.seq) - 1), NOT bool_or(new.wrote), max(new.at)
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bool[], $5::timestamptz[], $6::uuid[])
    AS new (thread_id, user_id, seq, wrote, at, author_id)
  JOIN users u ON u.id = new.user_id AND NOT u.is_bot AND u.deleted_at IS NULL
  WHERE NOT EXISTS (SELECT FROM blocks b WHERE b.user_id = new.user_id AND b.blocked_id = new.author_id)
  GROUP BY new.thread_id, new.user_id ORDER BY new.thread_id, new.user_id
  ON CONFLICT (thread_id, user_id) DO UPDATE SET
    state = CASE f.state WHEN 'none' THEN 'following' ELSE f.state END, active_at = excluded.active_at,
    last_read_seq = CASE WHEN excluded.is_unread AND (f.state <> 'none' OR f.is_unread) THEN f.last_read_seq
      ELSE greatest(f.last_read_seq, excluded.last_read_seq) END,
    is_unread = excluded.is_unread AND (f.is_unread OR f.state <> 'muted')`;
/** What was said before they were known to follow counts as read. $2 those who started it, or said what it starts from */
const addFollowers = (
  others: string,
) => `INSERT INTO thread_follows (thread_id, user_id, state, last_read_seq, active_at)
  SELECT $1::uuid, u.id, 'following', coalesce((SELECT max(seq) FROM messages WHERE thread_id = $1), 0), now()
  FROM users u WHERE NOT u.is_bot AND u.deleted_at IS NULL AND u.id IN (${others})
  ORDER BY u.id ON CONFLICT DO NOTHING`;
const start = addFollowers('SELECT unnest($2::uuid[])');
/** Of an earlier thread: only the authors of its newest messages. */
const adopt = addFollowers(`SELECT author_id FROM (
      SELECT author_id FROM messages WHERE thread_id = $1 AND deleted_at IS NULL ORDER BY seq DESC LIMIT 500
    ) AS latest
  UNION SELECT creator_id FROM threads WHERE id = $1
  UNION SELECT p.author_id FROM threads t JOIN messages p ON p.id = t.parent_message_id AND p.channel_id = t.channel_id
    WHERE t.id = $1`);

/**
 * Counts replies in their threads, and makes those who wrote or are named follow these. The channel's log must be locked.
 * @returns false: a thread is deleted or archived
 */
export async function countReplies(rows: Rows, replies: Reply[]): Promise<boolean> {
  const threads = Map.groupBy(replies, ({ threadId }) => threadId);
  if (threads.size === 0) return true;
  const each = [...threads.values()];
  const latest = (times: string[]) => times.reduce((one, other) => (one > other ? one : other));
  const counted = await rows<{ id: string; isEarlier: boolean }>(count, [
    [...threads.keys()],
    each.map(({ length }) => length),
    each.map((some) => latest(some.map(({ createdAt }) => createdAt))),
    each.map((some) => Math.max(...some.map(({ seq }) => seq))),
  ]);
  if (counted.length < threads.size) return false;
  for (const { id, isEarlier } of counted) if (isEarlier) await rows(adopt, [id]);
  const people = replies.flatMap((reply) => [
    { ...reply, userId: reply.authorId, wrote: true },
    ...reply.named.map((userId) => ({ ...reply, userId, wrote: false })),
  ]);
  await writeFollowers(rows, people);
  return true;
}

/** People whom edits name in replies follow from these on. Their own logs must be locked. */
export async function followNamed(rows: Rows, named: NamedIn[]): Promise<void> {
  if (named.length === 0) return;
  await writeFollowers(
    rows,
    named.map((one) => ({ ...one, wrote: false })),
  );
}

async function writeFollowers(rows: Rows, people: (NamedIn & { wrote: boolean })[]): Promise<void> {
  await rows(followReplies, [
    people.map(({ threadId }) => threadId),
    people.map(({ userId }) => userId),
    people.map(({ seq }) => seq),
    people.map(({ wrote }) => wrote),
    people.map(({ createdAt }) => createdAt),
    people.map(({ authorId }) => authorId),
  ]);
}

/** After one of a thread's messages was erased. The log of its channel must be locked. */
export async function uncountInThread(rows: Rows, threadId: string): Promise<void> {
  await rows(uncount, [threadId]);
}

/** Those who start a thread, and said what it starts from, follow it; bots do not. */
export async function followNewThread(rows: Rows, threadId: string, people: string[]): Promise<void> {
  await rows(start, [threadId, people]);
}
