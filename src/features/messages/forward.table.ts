import type { SmallUser } from '../../contract/actor.ts';
import type { KeptForward } from '../../contract/forwarded.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { Rows } from '../../database/database.ts';
import { currentMentions } from '../mentions/mention.table.ts';

/** What a message forwards, with the author's present name. */
export interface ForwardRow {
  sourceId: string;
  author: SmallUser;
  content: string;
  mentions: MentionRecord[] | null;
  attachmentIds: string[];
  sentAt: string;
  isWithdrawn: boolean;
}

/** A file of the copy, and the one that it is made of. */
export interface FileCopy {
  id: string;
  fromId: string;
  place: number;
  /** Whether the message tells of its thumbnail. */
  hasThumbnail: boolean;
}

/** What a new message forwards. */
export interface NewForward extends KeptForward {
  /** The message that the author has read it in; null: it was kept while it waited for a moderator. */
  via: { id: string; channelId: string; updatedAt: string } | null;
  copies: FileCopy[];
}

const author = `json_build_object('id', a.id, 'username', a.username, 'displayName', a.display_name,
  'avatarUrl', a.avatar_url, 'isBot', a.is_bot)`;

/**
 * SQL of what message `m` forwards, null for most. The labels of its mentions are read as those of a message, so it has that
 * name in there.
 */
export const forwardOf = `CASE WHEN m.has_extras THEN (
    SELECT json_build_object('sourceId', m.source_id, 'author', ${author}, 'content', m.content,
      'mentions', ${currentMentions}, 'attachmentIds', m.attachment_ids, 'sentAt', m.sent_at, 'isWithdrawn', m.is_withdrawn)
    FROM (SELECT * FROM message_forwards WHERE message_id = m.id) AS m JOIN users a ON a.id = m.author_id) END`;

/** SQL of the same for `h`, which waits for a moderator. */
export const heldForwardOf = `CASE WHEN h.forward IS NOT NULL THEN (
    SELECT h.forward::jsonb || jsonb_build_object('isWithdrawn', false, 'author', ${author})
    FROM users a WHERE a.id = (h.forward ->> 'authorId')::uuid) END`;

/** All that a copy of a file has of the file: its bytes are stored once. */
export const copiedColumns = [
  ...['blob_id', 'filename', 'content_type', 'size', 'width', 'height', 'thumbnail_blob_id', 'duration_ms'],
  ...['is_voice', 'waveform', 'is_spoiler'],
] as const;
const copied = copiedColumns.join(', ');
/**
 * The files of a copy, if they are those of their messages still. A thumbnail that comes meanwhile waits for the commit, and
 * then finds them too; one that came since they were read is not told of.
 */
const copyFiles = `INSERT INTO attachments (id, uploader_id, message_id, held_id, place, ${copied}, created_at)
  SELECT copy.id, copy.user_id, copy.message_id, copy.held_id, copy.place, ${copiedColumns.map((name) => `a.${name}`).join(', ')}, now()
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::int[], $8::boolean[])
    AS copy (id, from_id, via_id, message_id, held_id, user_id, place, has_thumbnail)
  JOIN attachments a ON a.id = copy.from_id AND a.message_id = copy.via_id
    AND (copy.held_id IS NOT NULL OR (a.thumbnail_blob_id IS NOT NULL) = copy.has_thumbnail)
  FOR SHARE OF a RETURNING attachments.id`;
const insert = `INSERT INTO message_forwards
    (message_id, channel_id, source_id, author_id, content, mentions, attachment_ids, sent_at)
  SELECT new.message_id, new.channel_id, new.source_id, new.author_id, new.content, new.mentions,
    (SELECT coalesce(array_agg(id::uuid), '{}') FROM json_array_elements_text(new.files) AS id), new.sent_at
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::json[], $7::json[], $8::timestamptz[])
    AS new (message_id, channel_id, source_id, author_id, content, mentions, files, sent_at)`;
/** Those of the messages that are as they were read. */
const unchanged = `SELECT m.id FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) AS via (id, updated_at, channel_id)
  JOIN messages m ON m.channel_id = via.channel_id AND m.id = via.id AND m.updated_at = via.updated_at AND m.deleted_at IS NULL
  LEFT JOIN threads t ON t.id = m.thread_id WHERE t.deleted_at IS NULL`;

/** Where copies of files are to be. */
interface Copies {
  userId: string;
  viaId: string;
  messageId: string | null;
  heldId: string | null;
  copies: FileCopy[];
}

/** Makes the files of messages those of others too. @returns whether all of them were there, as they were read */
export async function copyForwardedFiles(rows: Rows, all: Copies[]): Promise<boolean> {
  const each = all.flatMap(({ copies, ...place }) => copies.map((copy) => ({ ...copy, ...place })));
  if (each.length === 0) return true;
  const made = await rows(copyFiles, [
    each.map(({ id }) => id),
    each.map(({ fromId }) => fromId),
    each.map(({ viaId }) => viaId),
    each.map(({ messageId }) => messageId),
    each.map(({ heldId }) => heldId),
    each.map(({ userId }) => userId),
    each.map(({ place }) => place),
    each.map(({ hasThumbnail }) => hasThumbnail),
  ]);
  return made.length === each.length;
}

/** A new message that forwards one. */
interface Forwarding {
  id: string;
  channelId: string;
  authorId: string;
  forward: NewForward | null;
}

/** Keeps what new messages forward. @returns false: something of it was changed or deleted since it was read */
export async function insertForwards(rows: Rows, added: Forwarding[]): Promise<boolean> {
  const all = added.flatMap(({ forward, ...message }) => (forward ? [{ ...message, forward }] : []));
  if (all.length === 0) return true;
  const read = all.flatMap(({ forward }) => forward.via ?? []);
  if (read.length > 0) {
    const ids = [
      read.map(({ id }) => id),
      read.map(({ updatedAt }) => updatedAt),
      read.map(({ channelId }) => channelId),
    ];
    if ((await rows(unchanged, ids)).length < read.length) return false;
  }
  await rows(insert, [
    all.map(({ id }) => id),
    all.map(({ channelId }) => channelId),
    all.map(({ forward }) => forward.sourceId),
    all.map(({ forward }) => forward.authorId),
    all.map(({ forward }) => forward.content),
    all.map(({ forward }) => (forward.mentions.length > 0 ? JSON.stringify(forward.mentions) : null)),
    all.map(({ forward }) => JSON.stringify(forward.attachmentIds)),
    all.map(({ forward }) => forward.sentAt),
  ]);
  const copies = all.flatMap(({ id: messageId, authorId: userId, forward: { via, copies } }) =>
    via ? [{ userId, viaId: via.id, messageId, heldId: null, copies }] : [],
  );
  return copyForwardedFiles(rows, copies);
}

const ofAuthor = `SELECT f.message_id AS id, f.channel_id AS "channelId", m.seq, f.attachment_ids AS files
  FROM message_forwards f JOIN messages m ON m.channel_id = f.channel_id AND m.id = f.message_id AND m.deleted_at IS NULL
  JOIN channels c ON c.id = f.channel_id AND c.deleted_at IS NULL
  LEFT JOIN threads t ON t.id = m.thread_id
  WHERE f.author_id = $1 AND NOT f.is_withdrawn AND t.deleted_at IS NULL ORDER BY f.channel_id LIMIT $2`;
const withdraw = `UPDATE message_forwards SET content = '', mentions = NULL, attachment_ids = '{}', is_withdrawn = true
  WHERE message_id = ANY($1::uuid[]) AND NOT is_withdrawn`;
const removeFiles = 'DELETE FROM attachments WHERE id = ANY($1::uuid[])';

/** A message that forwards one of an author. */
interface Copy {
  id: string;
  channelId: string;
  seq: number;
  files: string[];
}

/** Some messages that forward those of an author. */
export function copiesOf(rows: Rows, authorId: string, most: number): Promise<Copy[]> {
  return rows<Copy>(ofAuthor, [authorId, most]);
}

/**
 * SQL that deletes the copies of files that wait with what held messages forward: those of the query `dropped`, each with its
 * `forward`. They are nobody's uploads.
 */
export const removeWaitingCopies = `DELETE FROM attachments WHERE message_id IS NULL AND id = ANY(ARRAY(
    SELECT json_array_elements_text(forward -> 'attachmentIds')::uuid FROM dropped))`;
const removeHeld = `WITH dropped AS (DELETE FROM held_messages WHERE forward ->> 'authorId' = $1::text RETURNING forward)
  ${removeWaitingCopies}`;

/** Nobody decides any more about messages that forward those of an author, and wait; the copies of files go with them. */
export async function removeHeldCopies(rows: Rows, authorId: string): Promise<void> {
  await rows(removeHeld, [authorId]);
}

/** Takes what messages forward out of them. The logs of their channels must be locked. */
export async function withdrawCopies(rows: Rows, copies: Copy[]): Promise<void> {
  await rows(withdraw, [copies.map(({ id }) => id)]);
  await rows(removeFiles, [copies.flatMap(({ files }) => files)]);
}
