import type { Rows } from '../../database/database.ts';
import type { ThreadRow } from './thread.view.ts';

const columns = `id, channel_id, name, parent_message_id, creator_id, is_archived, message_count,
  last_message_at, created_at, updated_at`;
const selectThreads = `SELECT ${columns} FROM threads`;
const ofChannel = `${selectThreads} WHERE channel_id = $1 AND deleted_at IS NULL AND id < $2 ORDER BY id DESC LIMIT $3`;
/** The threads that bot $4 takes part in. */
const isPart = (bot: string) => `(creator_id = ${bot}
  OR EXISTS (SELECT FROM messages pm WHERE pm.id = threads.parent_message_id AND pm.author_id = ${bot})
  OR EXISTS (SELECT FROM messages om WHERE om.thread_id = threads.id AND om.author_id = ${bot}))`;
const ofBot = ofChannel.replace('ORDER BY', `AND ${isPart('$4::uuid')} ORDER BY`);
const partOf = `SELECT FROM threads WHERE id = $1 AND ${isPart('$2::uuid')}`;
const byId = `${selectThreads} WHERE id = $1 AND deleted_at IS NULL`;
const byParent = `${selectThreads} WHERE parent_message_id = $1`;
const foreignMessage = `SELECT FROM messages WHERE thread_id = $1 AND author_id <> $2 AND deleted_at IS NULL
  AND author_id NOT IN (SELECT user_id FROM agents WHERE owner_id = $2) LIMIT 1`;
const rename = `UPDATE threads SET name = $2, updated_at = now()
  WHERE parent_message_id = $1 AND NOT is_named AND name <> $2 RETURNING ${columns}`;

/** A thread; undefined: there is none, or it was deleted. */
export async function findThread(rows: Rows, threadId: string): Promise<ThreadRow | undefined> {
  const [row] = await rows<ThreadRow>(byId, [threadId]);
  return row;
}

/** The thread that starts from a message. */
export async function findThreadFrom(rows: Rows, messageId: string): Promise<ThreadRow | undefined> {
  const [row] = await rows<ThreadRow>(byParent, [messageId]);
  return row;
}

/**
 * The threads of a channel, newest first.
 * @param before the id below which they begin
 * @param bot shows only those that it takes part in; null: all
 */
export function threadsOf(
  rows: Rows,
  channelId: string,
  { before, limit, bot }: { before: string; limit: number; bot: string | null },
): Promise<ThreadRow[]> {
  const values = [channelId, before, limit];
  return bot === null ? rows<ThreadRow>(ofChannel, values) : rows<ThreadRow>(ofBot, [...values, bot]);
}

/** Whether a bot takes part in a thread. */
export async function takesPart(rows: Rows, threadId: string, bot: string): Promise<boolean> {
  return (await rows(partOf, [threadId, bot])).length > 0;
}

/** Whether anyone but a user and its bots has messages in a thread. */
export async function hasForeignMessages(rows: Rows, threadId: string, userId: string): Promise<boolean> {
  return (await rows(foreignMessage, [threadId, userId])).length > 0;
}

/** The current names of threads that exist, by their ids. */
export async function threadNames(rows: Rows, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await rows<{ id: string; name: string }>(
    'SELECT id, name FROM threads WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL',
    [ids],
  );
  return new Map(found.map(({ id, name }) => [id, name]));
}

export interface NewThread {
  id: string;
  channelId: string;
  parentMessageId: string;
  name: string;
  isNamed: boolean;
  creatorId: string;
}

/** @returns whether it was added: false if its message has a thread */
export async function insertThread(rows: Rows, thread: NewThread): Promise<boolean> {
  const { id, channelId, parentMessageId, name, isNamed, creatorId } = thread;
  const added = await rows<{ id: string }>(
    `INSERT INTO threads (id, channel_id, parent_message_id, name, is_named, creator_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, now(), now()) ON CONFLICT (parent_message_id) DO NOTHING RETURNING id`,
    [id, channelId, parentMessageId, name, isNamed, creatorId],
  );
  return added.length > 0;
}

/** @returns whether anything was changed */
export async function updateThread(
  rows: Rows,
  threadId: string,
  { name, isArchived }: { name?: string; isArchived?: boolean },
): Promise<boolean> {
  const changed = await rows<{ id: string }>(
    `UPDATE threads SET name = coalesce($2, name), is_named = is_named OR $2::text IS NOT NULL,
       is_archived = coalesce($3, is_archived), updated_at = now()
     WHERE id = $1 AND deleted_at IS NULL
       AND (name <> coalesce($2, name) OR NOT is_named AND $2::text IS NOT NULL OR is_archived <> coalesce($3, is_archived))
     RETURNING id`,
    [threadId, name ?? null, isArchived ?? null],
  );
  return changed.length > 0;
}

/** Gives the thread of a message a new default name. @returns the thread, if that changed it */
export async function renameThreadFrom(rows: Rows, messageId: string, name: string): Promise<ThreadRow | undefined> {
  const [row] = await rows<ThreadRow>(rename, [messageId, name]);
  return row;
}

/** Marks a thread as deleted; its messages are still there. */
export async function markThreadDeleted(rows: Rows, threadId: string): Promise<void> {
  await rows('UPDATE threads SET parent_message_id = NULL, deleted_at = now() WHERE id = $1', [threadId]);
}

/** The message that a thread starts from; none for a deleted one. */
export function parentsOf(rows: Rows, threadId: string): Promise<{ id: string; seq: number }[]> {
  return rows<{ id: string; seq: number }>(
    'SELECT m.id, m.seq FROM messages m JOIN threads t ON t.parent_message_id = m.id WHERE t.id = $1',
    [threadId],
  );
}

/** The first messages of a thread that are not erased. */
export async function someMessagesOf(rows: Rows, threadId: string, limit: number): Promise<string[]> {
  const some = await rows<{ id: string }>(
    'SELECT id FROM messages WHERE thread_id = $1 AND deleted_at IS NULL ORDER BY seq LIMIT $2',
    [threadId, limit],
  );
  return some.map(({ id }) => id);
}

/** Of earlier versions' threads the count may be wrong. */
const countLeft = `UPDATE threads
  SET message_count = CASE WHEN $2::int < $3::int THEN 0 ELSE message_count - $2::int END WHERE id = $1`;

/** Counts messages of a deleted thread as erased. @param batch fewer than that: there are no more */
export async function countErased(rows: Rows, threadId: string, count: number, batch: number): Promise<void> {
  await rows(countLeft, [threadId, count, batch]);
}

/** Deleted threads with messages that are not erased. */
export function findUnerased(rows: Rows): Promise<{ threadId: string; channelId: string }[]> {
  return rows<{ threadId: string; channelId: string }>(
    `SELECT id AS "threadId", channel_id AS "channelId" FROM threads WHERE deleted_at IS NOT NULL AND message_count > 0
     ORDER BY id`,
  );
}
