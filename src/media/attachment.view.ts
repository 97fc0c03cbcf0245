import type { AttachmentRecord } from './attachment.contract.ts';

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
