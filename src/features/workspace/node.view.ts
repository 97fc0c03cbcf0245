import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { isoTime } from '../../contract/schema.ts';
import type { nodeSchema } from '../../contract/workspace.ts';
import type { WorkspaceNode } from '../../database/entities/workspace.entity.ts';
import { extensionOf } from '../../infrastructure/media-types.ts';

/** A node as lists read it: there may be tens of thousands. */
export interface NodeRow extends Pick<WorkspaceNode, 'id' | 'workspaceId' | 'kind' | 'name' | 'sizeBytes' | 'isText'> {
  parentId: string | null;
  mime: string | null;
  blobId: string | null;
  version: number;
  createdBy: string | null;
  createdAt: Date | string;
  updatedAt: Date | string;
}

export interface PlacedRow extends NodeRow {
  path: string;
}

export type NodeRecord = z.input<typeof nodeSchema>;

export function nodeRecord(row: PlacedRow): NodeRecord {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    parentId: row.parentId,
    kind: row.kind,
    name: row.name,
    path: row.path,
    ext: row.kind === 'file' ? extensionOf(row.name) : null,
    mime: row.mime,
    sizeBytes: row.sizeBytes,
    version: row.version,
    createdBy: row.createdBy,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

/** JSON text that may be megabytes, as it is made. */
export interface LongText {
  pieces: AsyncIterable<string>;
  /** Called once, when it has been sent or given up. */
  closed(): void;
}

/** Nodes as a list: JSON text in pieces, made as they are read. */
export async function* listText(rows: PlacedRow[]): AsyncGenerator<string> {
  let text = '[';
  for (const [at, row] of rows.entries()) {
    text += `${at > 0 ? ',' : ''}${JSON.stringify(nodeRecord(row))}`;
    if (text.length < perTurn) continue;
    yield text;
    text = '';
    await nextTurn();
  }
  yield `${text}]`;
}

/** Several such lists in an object. @param lists the contents of folders by their keys in the answer */
export async function* listsText(lists: Map<string, PlacedRow[]>): AsyncGenerator<string> {
  let before = '{';
  for (const [name, rows] of lists) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* listText(rows);
    before = ',';
  }
  yield lists.size > 0 ? '}' : '{}';
}

/** How many characters to write before yielding to others. */
const perTurn = 32 * 1024;

/** All nodes of a workspace as trees, siblings in the order of the rows: JSON text in pieces, made as they are read. */
export async function* treeText(rows: NodeRow[]): AsyncGenerator<string> {
  const inside = new Map<string | null, NodeRow[]>();
  for (const row of rows) {
    const siblings = inside.get(row.parentId);
    if (siblings) siblings.push(row);
    else inside.set(row.parentId, [row]);
  }
  /** The folders on the way from the top, each with its nodes still to be written. */
  const line = [{ path: '', rest: inside.get(null)?.values() ?? [].values() }];
  let text = '[';
  let isFirst = true;
  for (let folder = line.at(-1); folder; folder = line.at(-1)) {
    const { value: row } = folder.rest.next();
    if (!row) {
      line.pop();
      text += line.length > 0 ? ']}' : ']';
      isFirst = false;
      continue;
    }
    const path = `${folder.path}/${row.name}`;
    const node = JSON.stringify(nodeRecord({ ...row, path }));
    text += isFirst ? node : `,${node}`;
    isFirst = row.kind === 'dir';
    if (row.kind === 'dir') {
      text = `${text.slice(0, -1)},"children":[`;
      line.push({ path, rest: inside.get(row.id)?.values() ?? [].values() });
    }
    if (text.length < perTurn) continue;
    yield text;
    text = '';
    await nextTurn();
  }
  yield text;
}
