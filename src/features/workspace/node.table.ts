import type { Reader, Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { NodeRow, PlacedRow } from './node.view.ts';

export const columns = `n.id, n.workspace_id AS "workspaceId", n.parent_id AS "parentId", n.kind, n.name, n.mime,
  n.size_bytes AS "sizeBytes", n.is_text AS "isText", n.blob_id AS "blobId", n.version, n.created_by AS "createdBy",
  n.created_at AS "createdAt", n.updated_at AS "updatedAt"`;

/** Folders first, then by name; the same on every machine. */
const order = 'n.kind, n.name COLLATE "C"';

/** Follows the parents, so that renaming a folder changes nothing inside it. */
export const path = `(WITH RECURSIVE line AS (
    SELECT n.parent_id AS above, n.name AS path
    UNION ALL
    SELECT p.parent_id, p.name || '/' || line.path FROM line JOIN workspace_nodes p ON p.id = line.above
  ) SELECT '/' || line.path FROM line WHERE line.above IS NULL) AS path`;

const everything = `SELECT ${columns} FROM workspace_nodes n WHERE n.workspace_id = $1 ORDER BY ${order}`;
const byIds = `SELECT ${columns}, ${path} FROM workspace_nodes n
  WHERE n.workspace_id = $1 AND n.id = ANY($2::uuid[]) ORDER BY ${order}`;
const inFolders = `SELECT ${columns}, ${path} FROM workspace_nodes n
  WHERE n.workspace_id = $1 AND coalesce(n.parent_id, n.workspace_id) = ANY($2::uuid[]) ORDER BY ${order}`;
const byText = `SELECT ${columns}, ${path} FROM workspace_nodes n
  WHERE n.workspace_id = $1 AND n.kind = $2
    AND (strpos(lower(n.name), lower($3)) > 0 OR strpos(lower(n.name), lower($4)) > 0) ORDER BY ${order} LIMIT $5`;

/** The workspace of a server. Each access to it asks this. */
export async function workspaceIdOf(rows: Rows, serverId: string): Promise<string | undefined> {
  const [row] = await rows<{ id: string }>('SELECT id FROM workspaces WHERE server_id = $1', [serverId]);
  return row?.id;
}

/** Some of the members of a server. Each edit asks this. */
export async function memberIds(rows: Rows, serverId: string, limit: number): Promise<string[]> {
  const members = await rows<{ id: string }>('SELECT user_id AS id FROM server_members WHERE server_id = $1 LIMIT $2', [
    serverId,
    limit,
  ]);
  return members.map(({ id }) => id);
}

/** The members of a server who last had its workspace open, within a day. */
export async function viewerIds(
  rows: Rows,
  workspace: { id: string; serverId: string },
  limit: number,
): Promise<string[]> {
  const viewers = await rows<{ id: string }>(
    `SELECT v.user_id AS id FROM workspace_viewers v
       JOIN server_members m ON m.server_id = $2 AND m.user_id = v.user_id
     WHERE v.workspace_id = $1 AND v.seen_at > now() - interval '1 day' ORDER BY v.seen_at DESC LIMIT $3`,
    [workspace.id, workspace.serverId, limit],
  );
  return viewers.map(({ id }) => id);
}

/** Rows that arrive at once: a workspace may have 50 000, and taking them in is work. */
const pageSize = 500;

/**
 * All nodes of a workspace; without their paths, which the tree shows.
 * @param onMore called before more than one page is read; if it throws, no more is
 */
export function readAll(reader: Reader, workspaceId: string, onMore: () => void): Promise<NodeRow[]> {
  return inPages<NodeRow>(reader, 'workspace_tree', everything, [workspaceId], onMore);
}

/** The rows of a statement as of one moment. They arrive in pages, and others have their turn in between. */
async function inPages<R extends object>(
  reader: Reader,
  cursor: string,
  text: string,
  values: unknown[],
  onMore: () => void = () => {},
): Promise<R[]> {
  return reader.transaction(async ({ rows }) => {
    await rows(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values);
    const found: R[] = [];
    for (;;) {
      const page = await rows<R>(`FETCH ${pageSize} FROM ${cursor}`);
      found.push(...page);
      if (page.length < pageSize) return found;
      if (found.length === pageSize) onMore();
    }
  });
}

/** Nodes by id; those of other workspaces are not found. */
export function readNodes(rows: Rows, workspaceId: string, ids: string[]): Promise<PlacedRow[]> {
  return rows<PlacedRow>(byIds, [workspaceId, ids]);
}

/** The contents of the given folders; the id of the workspace stands for the top. @param onMore as in `readAll` */
export async function readChildren(
  reader: Reader,
  workspaceId: string,
  folderIds: string[],
  onMore: () => void,
): Promise<PlacedRow[]> {
  // Most folders are small, and read with one statement.
  const few = await reader.rows<PlacedRow>(`${inFolders} LIMIT ${pageSize}`, [workspaceId, folderIds]);
  if (few.length < pageSize) return few;
  return inPages<PlacedRow>(reader, 'workspace_children', inFolders, [workspaceId, folderIds], onMore);
}

/** Nodes of a kind whose names contain a text, in either case, with composed or decomposed characters. */
export function searchNodes(
  rows: Rows,
  workspaceId: string,
  kind: 'dir' | 'file',
  text: string,
  limit: number,
): Promise<PlacedRow[]> {
  return rows<PlacedRow>(byText, [workspaceId, kind, text.normalize('NFC'), text.normalize('NFD'), limit]);
}

/** The names in a folder (the workspace's id: at the top) that begin with a text. */
export async function readNames(rows: Rows, folderId: string, beginning: string): Promise<Set<string>> {
  const found = await rows<{ name: string }>(
    `SELECT name FROM workspace_nodes WHERE coalesce(parent_id, workspace_id) = $1 AND starts_with(name, $2)`,
    [folderId, beginning],
  );
  return new Set(found.map((row) => row.name));
}

/** A folder, or the top, with its ancestors. */
export interface Ancestry {
  /** From the folder itself up to the top. */
  ids: string[];
}

/** @returns undefined when there is no such folder in this workspace */
export async function readAncestry(
  rows: Rows,
  workspaceId: string,
  folderId: string | null,
): Promise<Ancestry | undefined> {
  if (folderId === null) return { ids: [] };
  const found = await rows<{ id: string; kind: string }>(
    `WITH RECURSIVE line AS (
       SELECT id, parent_id, kind, 1 AS step FROM workspace_nodes WHERE id = $1 AND workspace_id = $2
       UNION ALL
       SELECT p.id, p.parent_id, p.kind, line.step + 1 FROM line JOIN workspace_nodes p ON p.id = line.parent_id
     ) SELECT id, kind FROM line ORDER BY step`,
    [folderId, workspaceId],
  );
  return found[0]?.kind === 'dir' ? { ids: found.map((row) => row.id) } : undefined;
}

/** The given nodes that are inside others of them. */
export async function readCovered(rows: Rows, ids: string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    `WITH RECURSIVE line AS (
       SELECT id AS start, parent_id FROM workspace_nodes WHERE id = ANY($1::uuid[])
       UNION ALL
       SELECT line.start, p.parent_id FROM line JOIN workspace_nodes p ON p.id = line.parent_id
     ) SELECT DISTINCT start AS id FROM line WHERE parent_id = ANY($1::uuid[])`,
    [ids],
  );
  return new Set(found.map((row) => row.id));
}

/** A node and everything in it. */
export interface Extent {
  folders: number;
  files: number;
  bytes: number;
  /** The depth of folders in a folder; 0 for a file. */
  height: number;
}

/** How much a node holds, itself included. */
export async function readExtent(rows: Rows, nodeId: string): Promise<Extent> {
  const [extent] = await rows<Extent>(
    `WITH RECURSIVE inside AS (
       SELECT id, kind, size_bytes, 1 AS level FROM workspace_nodes WHERE id = $1
       UNION ALL
       SELECT c.id, c.kind, c.size_bytes, inside.level + 1 FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
     ) SELECT count(*) FILTER (WHERE kind = 'dir') AS folders, count(*) FILTER (WHERE kind = 'file') AS files,
         coalesce(sum(size_bytes), 0)::bigint AS bytes, coalesce(max(level) FILTER (WHERE kind = 'dir'), 0) AS height
       FROM inside`,
    [nodeId],
  );
  if (!extent) throw new Error('An aggregate gave no row.');
  return extent;
}

/** Deletes a node and everything in it. */
export async function deleteTree(rows: Rows, nodeId: string): Promise<void> {
  await rows(
    `WITH RECURSIVE inside AS (
       SELECT id FROM workspace_nodes WHERE id = $1
       UNION ALL SELECT c.id FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
     ) DELETE FROM workspace_nodes USING inside WHERE workspace_nodes.id = inside.id`,
    [nodeId],
  );
}

/** The copy of one node. */
export interface Copied {
  from: string;
  to: string;
  kind: 'dir' | 'file';
}

/** Copies a node and everything in it. @returns all copies, that of the node first */
export async function copyTree(
  rows: Rows,
  nodeId: string,
  copy: { parentId: string | null; name: string; createdBy: string },
): Promise<Copied[]> {
  const inside = await rows<{ id: string; kind: 'dir' | 'file' }>(
    `WITH RECURSIVE inside AS (
       SELECT id, kind FROM workspace_nodes WHERE id = $1
       UNION ALL SELECT c.id, c.kind FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
     ) SELECT id, kind FROM inside`,
    [nodeId],
  );
  const copies = inside.map(({ id, kind }) => ({ from: id, to: newId(), kind }));
  const ids = [copies.map(({ from }) => from), copies.map(({ to }) => to)];
  await rows(
    `WITH pairs AS MATERIALIZED (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS pair (old, new))
     INSERT INTO workspace_nodes (id, workspace_id, parent_id, kind, name, mime, size_bytes, is_text, blob_id,
       created_by, content_by, content_at, created_at, updated_at)
     SELECT pairs.new, n.workspace_id, coalesce(above.new, $3), n.kind, CASE WHEN n.id = $4 THEN $5 ELSE n.name END,
       n.mime, n.size_bytes, n.is_text, n.blob_id, $6,
       CASE WHEN n.kind = 'file' THEN $6::uuid END, CASE WHEN n.kind = 'file' THEN now() END, now(), now()
     FROM pairs JOIN workspace_nodes n ON n.id = pairs.old LEFT JOIN pairs above ON above.old = n.parent_id`,
    [...ids, copy.parentId, nodeId, copy.name, copy.createdBy],
  );
  return copies;
}

/** One entry of an archive: a folder or file with its path below the requested folder. */
export interface ArchiveRow {
  path: string;
  kind: 'dir' | 'file';
  blobId: string | null;
  sizeBytes: number;
  isText: boolean;
  updatedAt: Date | string;
}

const inside = `WITH RECURSIVE inside AS (
    SELECT n.*, n.name AS path, 1 AS level FROM workspace_nodes n
    WHERE n.workspace_id = $1 AND coalesce(n.parent_id, n.workspace_id) = $2
    UNION ALL
    SELECT c.*, inside.path || '/' || c.name, inside.level + 1
    FROM inside JOIN workspace_nodes c ON c.parent_id = inside.id
  ) SELECT path, kind, blob_id AS "blobId", size_bytes AS "sizeBytes", is_text AS "isText", updated_at AS "updatedAt"
    FROM inside
    ORDER BY level, path COLLATE "C" LIMIT $3`;

/** All inside a folder (the workspace's id: everything), folders before their contents. @param limit a few thousand */
export function readInside(rows: Rows, workspaceId: string, folderId: string, limit: number): Promise<ArchiveRow[]> {
  return rows<ArchiveRow>(inside, [workspaceId, folderId, limit]);
}

/** The same, however much it is. */
export function readAllInside(
  reader: Reader,
  workspaceId: string,
  folderId: string,
  limit: number,
): Promise<ArchiveRow[]> {
  return inPages<ArchiveRow>(reader, 'workspace_inside', inside, [workspaceId, folderId, limit]);
}
