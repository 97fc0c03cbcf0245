import type { z } from 'zod';
import { extensionOf } from '../infrastructure/media-types.ts';
import { isoTime } from '../schema.ts';
import type { nodeSchema, treeNodeSchema } from './workspace.contract.ts';

/** A row of `workspace_nodes`. */
export interface NodeRow {
  id: string;
  workspace_id: string;
  parent_id: string | null;
  kind: 'dir' | 'file';
  name: string;
  mime: string | null;
  size_bytes: number;
  is_text: boolean;
  blob_id: string | null;
  version: number;
  created_by: string | null;
  created_at: Date | string;
  updated_at: Date | string;
}

export interface PlacedRow extends NodeRow {
  path: string;
}

export type NodeRecord = z.input<typeof nodeSchema>;
export type TreeRecord = z.input<typeof treeNodeSchema>;

export function nodeRecord(row: PlacedRow): NodeRecord {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    parentId: row.parent_id,
    kind: row.kind,
    name: row.name,
    path: row.path,
    ext: row.kind === 'file' ? extensionOf(row.name) : null,
    mime: row.mime,
    sizeBytes: row.size_bytes,
    version: row.version,
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** All nodes of a workspace as trees, siblings in display order. @returns the roots */
export function treeOf(rows: NodeRow[]): TreeRecord[] {
  const inside = new Map<string | null, NodeRow[]>();
  for (const row of rows) {
    const siblings = inside.get(row.parent_id);
    if (siblings) siblings.push(row);
    else inside.set(row.parent_id, [row]);
  }
  // Folder depth is limited, so recursion is safe.
  const build = (parentId: string | null, above: string): TreeRecord[] =>
    (inside.get(parentId) ?? []).map((row) => {
      const path = `${above}/${row.name}`;
      const node = nodeRecord({ ...row, path });
      return row.kind === 'dir' ? { ...node, children: build(row.id, path) } : node;
    });
  return build(null, '');
}
