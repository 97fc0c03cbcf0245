import type { AttachmentRecord } from '../../contract/attachment.ts';

/** A row of `attachments`. */
export interface AttachmentRow {
  id: string;
  filename: string;
  content_type: string;
  size: number;
  width: number | null;
  height: number | null;
}

export const selectAttachments = `SELECT id, uploader_id, message_id, blob_id, filename, content_type, size, width, height,
  created_at FROM attachments`;

/**
 * SQL for the files of a message as rows, null if there are none. Most messages have none, and starting to gather them
 * takes several times as long as checking whether there are any.
 * @param message SQL of its id
 */
export const attachmentsOf = (message: string): string =>
  `CASE WHEN (SELECT true FROM attachments WHERE message_id = ${message} LIMIT 1)
    THEN (SELECT json_agg(a ORDER BY a.place) FROM attachments a WHERE a.message_id = ${message}) END`;

export const mediaPath = (id: string): string => `/api/media/${id}`;

export function attachmentRecord(row: AttachmentRow): AttachmentRecord {
  return {
    id: row.id,
    url: mediaPath(row.id),
    filename: row.filename,
    contentType: row.content_type,
    size: row.size,
    width: row.width,
    height: row.height,
  };
}
