import type { Rows } from '../../database/database.ts';

/** Files that someone uploaded for messages, sent or not: nobody else can have changed them. */
const uploads = `SELECT a.id, a.filename, a.content_type AS "contentType", a.size, a.message_id AS "messageId",
    a.is_voice AS voice, a.duration_ms AS "durationMs", a.blob_id AS "blobId", a.created_at AS "createdAt"
  FROM attachments a WHERE a.uploader_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3`;
/** Files that someone made in workspaces which they may still read: others may have changed them since. */
const made = `SELECT n.id, n.name AS filename, coalesce(n.mime, 'application/octet-stream') AS "contentType",
    n.size_bytes AS size, w.server_id AS "serverId", n.parent_id AS "folderId", n.blob_id AS "blobId",
    n.created_at AS "createdAt", n.updated_at AS "updatedAt"
  FROM workspace_nodes n JOIN workspaces w ON w.id = n.workspace_id
    JOIN server_members m ON m.server_id = w.server_id AND m.user_id = $1
  WHERE n.created_by = $1 AND n.kind = 'file' AND n.blob_id IS NOT NULL AND n.id > $2 ORDER BY n.id LIMIT $3`;

/** What someone saved in files of such workspaces, and somebody has saved over since. */
const saved = `SELECT v.id, n.name AS filename, coalesce(v.mime, 'application/octet-stream') AS "contentType",
    v.size_bytes AS size, w.server_id AS "serverId", v.node_id AS "fileId", v.version, v.blob_id AS "blobId",
    v.saved_at AS "createdAt", v.replaced_at AS "replacedAt"
  FROM workspace_versions v JOIN workspace_nodes n ON n.id = v.node_id JOIN workspaces w ON w.id = v.workspace_id
    JOIN server_members m ON m.server_id = w.server_id AND m.user_id = $1
  WHERE v.saved_by = $1 AND v.id > $2 ORDER BY v.id LIMIT $3`;

/** Uploaded pictures, which may show people, bots and servers. Their names are 32 hexadecimal digits, so they count as ids. */
const pictures = `SELECT p.name::uuid AS id, p.name || '.webp' AS filename, 'image/webp' AS "contentType",
    p.bytes AS size, p.blob_id AS "blobId", p.created_at AS "createdAt"
  FROM pictures p WHERE p.uploader_id = $1 AND p.size = 'large' AND p.name::uuid > $2 ORDER BY p.name::uuid LIMIT $3`;

/** A file with what the export says of it. */
export interface ExportedFile {
  id: string;
  filename: string;
  contentType: string;
  size: number;
  blobId: string;
  createdAt: string;
  [column: string]: unknown;
}

type ReadFiles = (rows: Rows, userId: string, after: string, limit: number) => Promise<ExportedFile[]>;

export const readUploads: ReadFiles = (rows, userId, after, limit) => rows(uploads, [userId, after, limit]);

export const readMade: ReadFiles = (rows, userId, after, limit) => rows(made, [userId, after, limit]);

export const readSaved: ReadFiles = (rows, userId, after, limit) => rows(saved, [userId, after, limit]);

export const readPictures: ReadFiles = (rows, userId, after, limit) => rows(pictures, [userId, after, limit]);
