import { signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import { parley } from './client.ts';

export type FileNode = RestAnswer<'GET /api/servers/:serverId/workspace/children'>[number];

/** Nodes that were copied or cut, to be pasted elsewhere in the same server. */
export interface Clipboard {
  serverId: string;
  nodes: FileNode[];
  mode: 'copy' | 'cut';
}

export const clipboard = signal<Clipboard | null>(null);

/** "Note 2" comes before "Note 10". */
const byName = new Intl.Collator(undefined, { numeric: true });

/** The contents of a folder, folders first. */
export async function readFolder(serverId: string, folderId: string | null): Promise<FileNode[]> {
  const query = { parentId: folderId };
  const nodes = await parley.rest('GET /api/servers/:serverId/workspace/children', { serverId, query });
  return nodes.toSorted((a, b) => a.kind.localeCompare(b.kind) || byName.compare(a.name, b.name));
}

export async function createFolder(serverId: string, parentId: string | null, name: string): Promise<FileNode> {
  return parley.rest('POST /api/servers/:serverId/workspace/folders', { serverId, body: { name, parentId } });
}

export async function createFile(serverId: string, parentId: string | null, name: string): Promise<FileNode> {
  const body = { name, parentId, content: '' };
  return parley.rest('POST /api/servers/:serverId/workspace/files', { serverId, body });
}

export async function uploadFile(serverId: string, folderId: string | null, file: File): Promise<FileNode> {
  const form = new FormData();
  if (folderId) form.set('parentId', folderId);
  form.set('file', file, file.name);
  return parley.rest('POST /api/servers/:serverId/workspace/upload', { serverId, form });
}

export async function rename(serverId: string, nodeId: string, name: string): Promise<void> {
  const commands = [{ type: 'rename' as const, nodeId, name }];
  await parley.rest('POST /api/servers/:serverId/workspace/commands', { serverId, body: { commands } });
}

/** All of them or none. */
export async function removeNodes(serverId: string, nodes: readonly FileNode[]): Promise<void> {
  const commands = nodes.map(({ id }) => ({ type: 'delete' as const, nodeId: id }));
  await parley.rest('POST /api/servers/:serverId/workspace/commands', { serverId, body: { commands } });
}

export async function moveNodes(serverId: string, nodeIds: string[], targetParentId: string | null): Promise<void> {
  const body = { nodeIds, targetParentId, mode: 'cut' as const };
  await parley.rest('POST /api/servers/:serverId/workspace/nodes/paste', { serverId, body });
}

/** Pastes what was copied or cut into a folder; what was cut can be pasted once. */
export async function paste(targetParentId: string | null): Promise<void> {
  const held = clipboard.value;
  if (!held) return;
  const body = { nodeIds: held.nodes.map(({ id }) => id), targetParentId, mode: held.mode };
  await parley.rest('POST /api/servers/:serverId/workspace/nodes/paste', { serverId: held.serverId, body });
  if (held.mode === 'cut') clipboard.value = null;
}

/** A URL with which the browser itself can fetch a file, for some minutes. */
export async function fileLink(
  serverId: string,
  fileId: string,
  disposition: 'inline' | 'attachment',
): Promise<string> {
  const params = { serverId, fileId, query: { disposition } };
  return (await parley.rest('GET /api/servers/:serverId/workspace/files/:fileId/media-url', params)).url;
}

/** Has the browser save a folder (or the whole workspace) as a ZIP file. */
export async function downloadZip(serverId: string, folder: FileNode | null): Promise<void> {
  const bytes = folder
    ? await parley.rest('GET /api/servers/:serverId/workspace/folders/:folderId/download', {
        serverId,
        folderId: folder.id,
      })
    : await parley.rest('GET /api/servers/:serverId/workspace/download', { serverId });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = `${folder?.name ?? 'workspace'}.zip`;
  link.click();
  // The browser has opened the URL by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
