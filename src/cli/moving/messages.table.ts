import type { Rows } from '../../database/database.ts';

/** Rows as they are written, by column name. */
export interface MessageInsert {
  id: string;
  channel_id: string;
  seq: number;
  author_id: string;
  content: string;
  thread_id: string | null;
  reply_to_id: string | null;
  metadata: object;
  mentions: object[];
  is_edited: boolean;
  pinned_at: string | null;
  created_at: string;
  updated_at: string;
}

export interface ReactionInsert {
  message_id: string;
  emoji: string;
  user_id: string;
  place: number;
  emoji_id: string | null;
}

export interface AttachmentInsert {
  id: string;
  uploader_id: string;
  message_id: string;
  place: number;
  blob_id: string;
  filename: string;
  content_type: string;
  size: number;
  width: number | null;
  height: number | null;
  is_spoiler: boolean;
  created_at: string;
}

const messageColumns = `id, channel_id, seq, author_id, content, thread_id, reply_to_id, metadata, mentions, is_edited,
  pinned_at, created_at, updated_at`;
const insertMessages = `INSERT INTO messages (${messageColumns})
  SELECT ${messageColumns} FROM json_populate_recordset(NULL::messages, $1::json)`;
const insertReactions = `INSERT INTO reactions (message_id, emoji, user_id, place, emoji_id)
  SELECT message_id, emoji, user_id, place, emoji_id FROM json_populate_recordset(NULL::reactions, $1::json)
  ON CONFLICT DO NOTHING`;
const attachmentColumns = `id, uploader_id, message_id, place, blob_id, filename, content_type, size, width, height,
  is_spoiler, created_at`;
const insertAttachments = `INSERT INTO attachments (${attachmentColumns}, is_voice)
  SELECT ${attachmentColumns}, false FROM json_populate_recordset(NULL::attachments, $1::json)`;
/** Thumbnails are made by the jobs of nodes (features/media). */
const insertThumbnails = `INSERT INTO jobs (kind, id, data)
  SELECT 'attachment-thumbnail', gen_random_uuid(), json_build_object('blobId', blob) FROM unnest($1::uuid[]) AS blob`;

export async function insertMessageRows(rows: Rows, made: MessageInsert[]): Promise<void> {
  await rows(insertMessages, [JSON.stringify(made)]);
}

export async function insertReactionRows(rows: Rows, made: ReactionInsert[]): Promise<void> {
  if (made.length > 0) await rows(insertReactions, [JSON.stringify(made)]);
}

/** @param pictures the contents that are worth a smaller form */
export async function insertAttachmentRows(rows: Rows, made: AttachmentInsert[], pictures: string[]): Promise<void> {
  if (made.length > 0) await rows(insertAttachments, [JSON.stringify(made)]);
  if (pictures.length > 0) await rows(insertThumbnails, [[...new Set(pictures)]]);
}

const countPins = 'SELECT count(*)::int AS count FROM messages WHERE channel_id = $1 AND pinned_at IS NOT NULL';

export async function pinsOf(rows: Rows, channelId: string): Promise<number> {
  return (await rows<{ count: number }>(countPins, [channelId]))[0]?.count ?? 0;
}

const insertChannel = `INSERT INTO channels (id, server_id, kind, name, type, description, position, is_private, is_archived,
    created_at, updated_at, category_id)
  SELECT $1::uuid, $2::uuid, 'server', $3, 'text', $4,
    (SELECT coalesce(max(position) + 1, 0) FROM channels WHERE server_id = $2::uuid), $5::boolean, $6::boolean,
    $7::timestamptz, now(), (SELECT id FROM channel_categories WHERE id = $8::uuid AND server_id = $2::uuid)`;
const insertStream = `INSERT INTO streams (id, kind, last_seq, floor_seq, is_closed) VALUES ($1, 'channel', $2, $2, $3)`;

interface ChannelInsert {
  id: string;
  serverId: string;
  name: string;
  description: string | null;
  isPrivate: boolean;
  isArchived: boolean;
  createdAt: string;
  lastSeq: number;
  categoryId: string | null;
}

/** A channel whose messages are there, with a log that begins after them. */
export async function insertChannelRow(rows: Rows, made: ChannelInsert): Promise<void> {
  const { id, serverId, name, description, isPrivate, isArchived, createdAt, lastSeq, categoryId } = made;
  await rows(insertChannel, [id, serverId, name, description, isPrivate, isArchived, createdAt, categoryId]);
  await rows(insertStream, [id, lastSeq, isArchived]);
}

/** Members of the server among these people; of nobody else the owner is let in. */
const letIn = `INSERT INTO channel_members (channel_id, user_id, joined_at)
  SELECT $1::uuid, m.user_id, now() FROM server_members m WHERE m.server_id = $2 AND m.user_id = ANY($3::uuid[])
  ON CONFLICT DO NOTHING RETURNING user_id`;
const letOwnerIn = `INSERT INTO channel_members (channel_id, user_id, joined_at)
  SELECT $1::uuid, owner_id, now() FROM servers WHERE id = $2 ON CONFLICT DO NOTHING`;

export async function letPeopleIn(rows: Rows, channelId: string, serverId: string, userIds: string[]): Promise<void> {
  const entered = await rows(letIn, [channelId, serverId, userIds]);
  if (entered.length === 0) await rows(letOwnerIn, [channelId, serverId]);
}

/** What was said before it came here is not new to anyone. */
const read = `INSERT INTO channel_reads (channel_id, user_id, last_read_seq)
  SELECT $1::uuid, m.user_id, $3::bigint FROM server_members m JOIN users u ON u.id = m.user_id AND NOT u.is_bot
  WHERE m.server_id = $2 ON CONFLICT DO NOTHING`;

export async function readByAll(rows: Rows, channelId: string, serverId: string, lastSeq: number): Promise<void> {
  if (lastSeq > 0) await rows(read, [channelId, serverId, lastSeq]);
}

const insertThreads = `INSERT INTO threads (id, channel_id, parent_message_id, name, is_named, creator_id, is_archived,
    created_at, updated_at)
  SELECT t.id, $1::uuid, t.parent, t.name, t.named, m.author_id, false, m.created_at, m.created_at
  FROM json_to_recordset($2::json) AS t (id uuid, parent uuid, name text, named boolean)
    JOIN messages m ON m.channel_id = $1 AND m.id = t.parent ON CONFLICT DO NOTHING`;
const contents = 'SELECT id, content FROM messages WHERE channel_id = $1 AND id = ANY($2::uuid[])';
const countReplies = `UPDATE threads SET message_count = sums.count, last_message_at = sums.last
  FROM (SELECT thread_id, count(*) AS count, max(created_at) AS last FROM messages
    WHERE channel_id = $1 AND thread_id IS NOT NULL GROUP BY 1) AS sums
  WHERE threads.channel_id = $1 AND threads.id = sums.thread_id`;
/** The trigger that does this knows no message without its channel. */
const markParents = `UPDATE messages SET has_extras = true FROM threads t
  WHERE t.channel_id = $1 AND messages.channel_id = $1 AND messages.id = t.parent_message_id AND NOT messages.has_extras`;

interface ThreadInsert {
  id: string;
  parent: string;
  name: string;
  named: boolean;
}

export async function insertThreadRows(rows: Rows, channelId: string, made: ThreadInsert[]): Promise<void> {
  await rows(insertThreads, [channelId, JSON.stringify(made)]);
}

export async function textsOf(rows: Rows, channelId: string, ids: string[]): Promise<Map<string, string>> {
  const found = await rows<{ id: string; content: string }>(contents, [channelId, ids]);
  return new Map(found.map(({ id, content }) => [id, content]));
}

export async function countThreads(rows: Rows, channelId: string): Promise<void> {
  await rows(countReplies, [channelId]);
  await rows(markParents, [channelId]);
}
