import type { Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import { type UserColumnsOrNull, userOrNull } from '../accounts/account.view.ts';

const columns = `v.version, v.blob_id AS "blobId", v.size_bytes AS "sizeBytes", v.mime, v.is_text AS "isText",
  v.saved_by AS "savedBy", v.saved_at AS "savedAt"`;

/** The bytes that a file had. */
export interface VersionRow {
  version: number;
  blobId: string;
  sizeBytes: number;
  mime: string | null;
  isText: boolean;
  savedBy: string | null;
  savedAt: Date | string;
}

/** A version with its author; `keptUntil` is null for what the file has now. */
export interface ListedVersion extends VersionRow, UserColumnsOrNull {
  keptUntil: Date | string | null;
}

/** What is known of the present bytes of node `n`: rows from before this was kept have it only if they never changed. */
const savedBy = 'coalesce(n.content_by, CASE WHEN n.version = 1 THEN n.created_by END)';
const savedAt = 'coalesce(n.content_at, CASE WHEN n.version = 1 THEN n.created_at ELSE n.updated_at END)';

/** $1 file, $2 days. The present bytes first. */
const list = `SELECT v.*, u.username, u.display_name, u.avatar_url, u.is_bot FROM (
    SELECT n.version, n.blob_id AS "blobId", n.size_bytes AS "sizeBytes", n.mime, n.is_text AS "isText",
      ${savedBy} AS "savedBy", ${savedAt} AS "savedAt", NULL::timestamptz AS "keptUntil", 0 AS rank
    FROM workspace_nodes n WHERE n.id = $1
    UNION ALL SELECT ${columns}, v.replaced_at + make_interval(days => $2), 1 FROM workspace_versions v WHERE v.node_id = $1
  ) AS v LEFT JOIN users u ON u.id = v."savedBy" ORDER BY v.rank, v.version DESC`;
const find = `SELECT ${columns} FROM workspace_versions v WHERE v.node_id = $1 AND v.version = $2`;
const keep = `INSERT INTO workspace_versions (id, node_id, workspace_id, version, blob_id, size_bytes, mime, is_text,
    saved_by, saved_at, replaced_at)
  SELECT $1, n.id, n.workspace_id, n.version, n.blob_id, n.size_bytes, n.mime, n.is_text,
    (SELECT u.id FROM users u WHERE u.id = ${savedBy}), ${savedAt}, now()
  FROM workspace_nodes n WHERE n.id = $2`;
const author = `SELECT u.id FROM workspace_nodes n JOIN users u ON u.id = ${savedBy} WHERE n.id = $1`;
const trim = `DELETE FROM workspace_versions WHERE id IN (
  SELECT id FROM workspace_versions WHERE node_id = $1 ORDER BY version DESC OFFSET $2)`;
const remove = 'DELETE FROM workspace_versions WHERE node_id = $1 AND version = $2 RETURNING id';
const total = 'SELECT version_bytes AS bytes FROM workspaces WHERE id = $1';
const makeRoom = `WITH kept AS (
    SELECT id, sum(size_bytes) OVER (ORDER BY replaced_at DESC, id DESC) AS upto FROM workspace_versions WHERE workspace_id = $1
  ) DELETE FROM workspace_versions v USING kept WHERE v.id = kept.id AND kept.upto > $2`;
/** The versions of one workspace at once, under its lock, as edits delete them. */
const nextOver = `SELECT workspace_id AS id FROM workspace_versions WHERE replaced_at < now() - make_interval(days => $1)
  ORDER BY replaced_at LIMIT 1`;
const lockNext = 'SELECT id FROM workspaces WHERE id = $1 FOR NO KEY UPDATE';
const forget = `DELETE FROM workspace_versions WHERE id IN (SELECT id FROM workspace_versions
  WHERE workspace_id = $1 AND replaced_at < now() - make_interval(days => $2) ORDER BY replaced_at LIMIT 200) RETURNING id`;

/** The author of a version, if it is known. */
export const authorOf = (version: ListedVersion) => userOrNull(version.savedBy, version);

/** All versions of a file, the present one first. @param days how long older ones are kept */
export function readVersions(rows: Rows, fileId: string, days: number): Promise<ListedVersion[]> {
  return rows<ListedVersion>(list, [fileId, days]);
}

export async function findVersion(rows: Rows, fileId: string, version: number): Promise<VersionRow | undefined> {
  return (await rows<VersionRow>(find, [fileId, version]))[0];
}

/** For whom the present bytes of a file count once they are an older version; null: for nobody. */
export async function authorOfContent(rows: Rows, fileId: string): Promise<string | null> {
  return (await rows<{ id: string }>(author, [fileId]))[0]?.id ?? null;
}

/** Keeps the present bytes of a file as a version, and of all only the newest. */
export async function keepVersion(rows: Rows, fileId: string, most: number): Promise<void> {
  await rows(keep, [newId(), fileId]);
  await rows(trim, [fileId, most]);
}

/** @returns whether there was one */
export async function deleteVersion(rows: Rows, fileId: string, version: number): Promise<boolean> {
  return (await rows(remove, [fileId, version])).length > 0;
}

/** Deletes the oldest versions of a workspace until all have no more than so many bytes. */
export async function makeRoomFor(rows: Rows, workspaceId: string, left: number): Promise<void> {
  const [row] = await rows<{ bytes: number }>(total, [workspaceId]);
  if ((row?.bytes ?? 0) > left) await rows(makeRoom, [workspaceId, left]);
}

/** Deletes some versions that were kept for so many days. @returns how many */
export async function forgetVersions(rows: Rows, days: number): Promise<number> {
  const [next] = await rows<{ id: string }>(nextOver, [days]);
  if (!next) return 0;
  await rows(lockNext, [next.id]);
  return (await rows(forget, [next.id, days])).length;
}
