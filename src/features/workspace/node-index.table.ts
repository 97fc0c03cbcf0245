import type { Rows } from '../../database/database.ts';
import { columns, path } from './node.table.ts';
import type { PlacedRow } from './node.view.ts';

/** A folder or file as the index reads it. */
export interface IndexedNode {
  id: string;
  workspaceId: string;
  name: string;
  /** Of a text file; null: its name alone is indexed. */
  textId: string | null;
}

/** $1 the workspace, or null: any; $2 how many */
const take = `DELETE FROM workspace_stale WHERE id = ANY(ARRAY(
    SELECT id FROM workspace_stale WHERE $1::uuid IS NULL OR workspace_id = $1 ORDER BY id LIMIT $2)) RETURNING node_id AS id`;
const read = `SELECT id, workspace_id AS "workspaceId", name, CASE WHEN is_text THEN blob_id END AS "textId"
  FROM workspace_nodes WHERE id = ANY($1::uuid[])`;
/** Those that are there still. */
const write = `INSERT INTO workspace_words (node_id, words)
  SELECT n.id, new.words::tsvector FROM unnest($1::uuid[], $2::text[]) AS new (id, words)
    JOIN workspace_nodes n ON n.id = new.id ORDER BY n.id FOR KEY SHARE OF n
  ON CONFLICT (node_id) DO UPDATE SET words = excluded.words`;
const isStale = 'SELECT EXISTS (SELECT FROM workspace_stale WHERE workspace_id = $1) AS stale';

/** $1 workspace, $2 and $3 a part of the name, composed and decomposed, $4 `tsquery` or null, $5 how many, $6 after how many */
const find = `WITH found AS (
    SELECT id, min(rank) AS rank FROM (
      SELECT n.id, 0 AS rank FROM workspace_nodes n WHERE n.workspace_id = $1
        AND (strpos(lower(n.name), lower($2)) > 0 OR strpos(lower(n.name), lower($3)) > 0)
      UNION ALL SELECT w.node_id, 1 FROM workspace_words w WHERE w.words @@ $4::tsquery) AS hits
    GROUP BY id
  ) SELECT ${columns}, ${path}, found.rank = 0 AS "isNamed" FROM found JOIN workspace_nodes n ON n.id = found.id
  WHERE n.workspace_id = $1 ORDER BY found.rank, n.updated_at DESC, n.id LIMIT $5 OFFSET $6`;

export interface FoundRow extends PlacedRow {
  /** Its name has what was asked for. */
  isNamed: boolean;
}

/** Takes some of the notes of what is to be indexed. @param workspaceId null: of any workspace */
export async function takeStaleNodes(rows: Rows, workspaceId: string | null, limit: number): Promise<string[]> {
  const taken = await rows<{ id: string }>(take, [workspaceId, limit]);
  return [...new Set(taken.map(({ id }) => id))];
}

export function readIndexed(rows: Rows, ids: string[]): Promise<IndexedNode[]> {
  return rows<IndexedNode>(read, [ids]);
}

export async function writeWords(rows: Rows, words: { id: string; document: string }[]): Promise<void> {
  if (words.length > 0) await rows(write, [words.map(({ id }) => id), words.map(({ document }) => document)]);
}

/** Whether something of a workspace is not indexed yet. */
export async function isIndexing(rows: Rows, workspaceId: string): Promise<boolean> {
  return (await rows<{ stale: boolean }>(isStale, [workspaceId]))[0]?.stale ?? false;
}

/** @param query SQL of a `tsquery`; null: there are no words */
export function findNodes(
  rows: Rows,
  workspaceId: string,
  { name, query }: { name: string; query: string | null },
  { limit, offset }: { limit: number; offset: number },
): Promise<FoundRow[]> {
  return rows<FoundRow>(find, [workspaceId, name.normalize('NFC'), name.normalize('NFD'), query, limit, offset]);
}
