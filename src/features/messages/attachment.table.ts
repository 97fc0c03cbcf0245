import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';
import { isGivenToBot } from './command-file.table.ts';

/** A row of `attachments`. */
export interface AttachmentRow {
  id: string;
  blob_id: string;
  filename: string;
  content_type: string;
  size: number;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  is_voice: boolean;
  waveform: string | null;
  thumbnail_blob_id: string | null;
  is_spoiler: boolean;
}

/** The same with what decides who may read it. */
export interface StoredAttachment extends AttachmentRow {
  uploader_id: string;
  /** Null: not sent yet. */
  message_id: string | null;
  /** What it waits with for a moderator. */
  held_id: string | null;
  /** The scheduled message that it is to be sent with. */
  scheduled_id: string | null;
}

const selectAttachments = `SELECT id, uploader_id, message_id, held_id, scheduled_id, blob_id, filename, content_type, size, width, height,
  duration_ms, is_voice, waveform, thumbnail_blob_id, is_spoiler, created_at FROM attachments`;
const byId = `${selectAttachments} WHERE id = $1`;
const claim = `UPDATE attachments SET message_id = claim.message_id, place = claim.place
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::boolean[]) AS claim (id, message_id, author_id, place, has_thumbnail)
  WHERE attachments.id = claim.id AND uploader_id = claim.author_id AND attachments.message_id IS NULL
    AND (thumbnail_blob_id IS NOT NULL) = claim.has_thumbnail
  RETURNING attachments.id`;
const uploads = `${selectAttachments} WHERE id = ANY($1::uuid[]) AND uploader_id = $2`;

/**
 * SQL for the files of a message as rows, null if there are none. Most messages have none, and starting to gather them
 * takes several times as long as checking whether there are any.
 * @param message SQL of its id
 */
export const attachmentsOf = (message: string): string =>
  `CASE WHEN (SELECT true FROM attachments WHERE message_id = ${message} LIMIT 1)
    THEN (SELECT json_agg(a ORDER BY a.place) FROM attachments a WHERE a.message_id = ${message}) END`;

/** A file by its id. Each picture that is shown asks this. */
export async function findAttachment(rows: Rows, id: string): Promise<StoredAttachment | undefined> {
  const [row] = await rows<StoredAttachment>(byId, [id]);
  return row;
}

/** Someone's uploads, sent or not. */
export function uploadsOf(rows: Rows, userId: string, ids: string[]): Promise<StoredAttachment[]> {
  return rows<StoredAttachment>(uploads, [ids, userId]);
}

const hide = `UPDATE attachments SET is_spoiler = $3 WHERE id = $1 AND uploader_id = $2 AND message_id IS NULL AND held_id IS NULL
  RETURNING id`;

/** Says of someone's upload that was not sent yet whether it is a spoiler. @returns whether there is such an upload */
export async function hideUpload(rows: Rows, userId: string, id: string, isSpoiler: boolean): Promise<boolean> {
  return (await rows(hide, [id, userId, isSpoiler])).length > 0;
}

/** SQL: a file waits to be sent, and for nothing else. */
export const isUnsent = 'message_id IS NULL AND held_id IS NULL AND scheduled_id IS NULL';
const isDrafted = `EXISTS (SELECT FROM drafts d WHERE d.user_id = attachments.uploader_id AND attachments.id = ANY(d.file_ids))`;

/** SQL: nobody needs an upload that was not sent within a day. */
const isForgotten = `${isUnsent} AND NOT ${isDrafted} AND NOT ${isGivenToBot('attachments.id')}`;

const unsent = `SELECT count(*)::int AS count FROM attachments
  WHERE uploader_id = $1 AND ${isUnsent} AND NOT ${isGivenToBot('attachments.id')}`;

/** How many uploads someone keeps unsent, beside those of commands. */
export async function countUnsent(rows: Rows, userId: string): Promise<number> {
  return (await rows<{ count: number }>(unsent, [userId]))[0]?.count ?? 0;
}

const forget = `DELETE FROM attachments WHERE id = ANY($1::uuid[]) AND uploader_id = $2 AND ${isUnsent}`;

/** Deletes those of someone's uploads that are in no message and wait for nothing. */
export async function forgetUploads(rows: Rows, userId: string, ids: string[]): Promise<void> {
  await rows(forget, [ids, userId]);
}

/** The same. @returns how many there were */
export async function takeUploads(rows: Rows, userId: string, ids: string[]): Promise<number> {
  return (await rows(`${forget} RETURNING id`, [ids, userId])).length;
}

/** Deletes some uploads that were not sent within a day, and are of no draft and no command. @returns how many */
export async function deleteUnsent(rows: Rows): Promise<number> {
  const gone = await rows<{ id: string }>(
    `DELETE FROM attachments WHERE id IN (
       SELECT id FROM attachments WHERE created_at < now() - interval '1 day' AND ${isForgotten} LIMIT 100
     ) AND ${isForgotten} RETURNING id`,
  );
  return gone.length;
}

const readableStill = `SELECT a.id FROM attachments a LEFT JOIN messages m ON m.id = a.message_id LEFT JOIN channels c ON c.id = m.channel_id
  WHERE a.id = $1 AND (a.message_id IS NULL OR ${selectMayRead('$2::uuid')})`;

/** Whether someone who could read a file may still do so: one that was not sent, or one in a channel that they may read. */
export async function mayStillRead(rows: Rows, id: string, userId: string): Promise<boolean> {
  return (await rows(readableStill, [id, userId])).length > 0;
}

/**
 * An upload goes into one message: the second to claim it is refused, and so is one whose thumbnail came meanwhile, which the
 * message does not tell of. @returns whether all of them were free
 */
export async function claimFiles(
  rows: Rows,
  claims: { id: string; place: number; messageId: string; authorId: string; hasThumbnail: boolean }[],
): Promise<boolean> {
  if (claims.length === 0) return true;
  const claimed = await rows<{ id: string }>(claim, [
    claims.map(({ id }) => id),
    claims.map(({ messageId }) => messageId),
    claims.map(({ authorId }) => authorId),
    claims.map(({ place }) => place),
    claims.map(({ hasThumbnail }) => hasThumbnail),
  ]);
  return claimed.length === claims.length;
}

const lacking = `SELECT a.id, a.content_type, a.size, a.width, a.height, a.message_id AS "messageId",
    m.channel_id AS "channelId"
  FROM attachments a LEFT JOIN messages m ON m.id = a.message_id
  WHERE a.blob_id = $1 AND a.thumbnail_blob_id IS NULL ORDER BY a.id LIMIT $2`;
const keep = `UPDATE attachments SET thumbnail_blob_id = $2, width = coalesce(width, $3), height = coalesce(height, $4)
  WHERE id = ANY($1::uuid[]) AND thumbnail_blob_id IS NULL RETURNING id, message_id AS "messageId"`;

/** A file without a thumbnail, and where it is shown. */
interface BareFile extends Pick<AttachmentRow, 'id' | 'content_type' | 'size' | 'width' | 'height'> {
  /** Null: in no message yet. */
  messageId: string | null;
  channelId: string | null;
}

/** Some of the files of the same bytes, copies among them, that have no thumbnail. */
export function filesWithoutThumbnail(rows: Rows, blobId: string, limit: number): Promise<BareFile[]> {
  return rows<BareFile>(lacking, [blobId, limit]);
}

/** Keeps the thumbnail of a picture. @returns those of these files that had none */
export function keepThumbnail(
  rows: Rows,
  ids: string[],
  { blobId, width, height }: { blobId: string; width: number; height: number },
): Promise<Pick<BareFile, 'id' | 'messageId'>[]> {
  return rows(keep, [ids, blobId, width, height]);
}
