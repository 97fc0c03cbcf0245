import { signal } from '@preact/signals';
import type { RestAnswer } from '../../../client/index.ts';
import type { Core } from './session.ts';

export type FileNode = RestAnswer<'GET /api/servers/:serverId/workspace/children'>[number];
export type FileVersion = RestAnswer<'GET /api/servers/:serverId/workspace/files/:fileId/versions'>[number];
export type FoundNode = RestAnswer<'GET /api/servers/:serverId/workspace/search'>[number];

/** Nodes that were copied or cut, to be pasted elsewhere in the same server. */
export interface Clipboard {
  serverId: string;
  nodes: FileNode[];
  mode: 'copy' | 'cut';
}

/** How many a search shows at once. */
export const foundAtOnce = 25;

/** "Note 2" comes before "Note 10". */
const byName = new Intl.Collator(undefined, { numeric: true });

/** The files of servers. */
export class Workspace {
  readonly clipboard = signal<Clipboard | null>(null);
  /** Links to the bytes of files that may be dragged out of the page, by file: a drag cannot wait for one. */
  readonly dragLinks = new Map<string, { url: string; until: number }>();
  private readonly core: Core;
  /** By server. */
  private readonly largest = new Map<string, Promise<number>>();

  constructor(core: Core) {
    this.core = core;
  }

  /** How many bytes a file may have here. */
  largestFile(serverId: string): Promise<number> {
    const known = this.largest.get(serverId);
    if (known) return known;
    const read = this.core.client.rest('GET /api/servers/:serverId/workspace', { serverId });
    const largest = read.then(({ maxFileBytes }) => maxFileBytes);
    this.largest.set(serverId, largest);
    largest.catch(() => this.largest.delete(serverId));
    return largest;
  }

  /** The contents of a folder, folders first. */
  async readFolder(serverId: string, folderId: string | null): Promise<FileNode[]> {
    const query = { parentId: folderId };
    const nodes = await this.core.client.rest('GET /api/servers/:serverId/workspace/children', { serverId, query });
    return nodes.toSorted((a, b) => a.kind.localeCompare(b.kind) || byName.compare(a.name, b.name));
  }

  createFolder(serverId: string, parentId: string | null, name: string): Promise<FileNode> {
    return this.core.client.rest('POST /api/servers/:serverId/workspace/folders', {
      serverId,
      body: { name, parentId },
    });
  }

  createFile(serverId: string, parentId: string | null, name: string): Promise<FileNode> {
    const body = { name, parentId, content: '' };
    return this.core.client.rest('POST /api/servers/:serverId/workspace/files', { serverId, body });
  }

  upload(serverId: string, folderId: string | null, file: File): Promise<FileNode> {
    const form = new FormData();
    if (folderId) form.set('parentId', folderId);
    form.set('file', file, file.name);
    return this.core.client.rest('POST /api/servers/:serverId/workspace/upload', { serverId, form });
  }

  /** Uploads a new version of a file, which keeps its name. */
  replace(serverId: string, fileId: string, file: File): Promise<FileNode> {
    const form = new FormData();
    form.set('file', file, file.name);
    const call = 'POST /api/servers/:serverId/workspace/files/:fileId/upload';
    return this.core.client.rest(call, { serverId, fileId, form });
  }

  /** A text file with its text. @param version an older one; undefined: as it is now */
  read(serverId: string, fileId: string, version?: number) {
    const params = { serverId, fileId, query: { version } };
    return this.core.client.rest('GET /api/servers/:serverId/workspace/files/:fileId', params);
  }

  /** What a file contained, newest first; the first one is what it contains now. */
  versions(serverId: string, fileId: string): Promise<FileVersion[]> {
    return this.core.client.rest('GET /api/servers/:serverId/workspace/files/:fileId/versions', { serverId, fileId });
  }

  async restore(serverId: string, { fileId, version }: FileVersion): Promise<void> {
    const params = { serverId, fileId, version: String(version) };
    const call = 'POST /api/servers/:serverId/workspace/files/:fileId/versions/:version/restore';
    await this.core.client.rest(call, params);
  }

  async removeVersion(serverId: string, { fileId, version }: FileVersion): Promise<void> {
    const params = { serverId, fileId, version: String(version) };
    await this.core.client.rest('DELETE /api/servers/:serverId/workspace/files/:fileId/versions/:version', params);
  }

  /** Folders and files by their names, and files by their texts. @param count how many are known */
  search(serverId: string, text: string, count: number): Promise<FoundNode[]> {
    const query = { query: text, limit: foundAtOnce, cursor: String(count) };
    return this.core.client.rest('GET /api/servers/:serverId/workspace/search', { serverId, query });
  }

  async rename(serverId: string, nodeId: string, name: string): Promise<void> {
    const commands = [{ type: 'rename' as const, nodeId, name }];
    await this.core.client.rest('POST /api/servers/:serverId/workspace/commands', { serverId, body: { commands } });
  }

  /** Deletes all of them or none. */
  async remove(serverId: string, nodes: readonly FileNode[]): Promise<void> {
    const commands = nodes.map(({ id }) => ({ type: 'delete' as const, nodeId: id }));
    await this.core.client.rest('POST /api/servers/:serverId/workspace/commands', { serverId, body: { commands } });
  }

  async move(serverId: string, nodeIds: string[], targetParentId: string | null): Promise<void> {
    const body = { nodeIds, targetParentId, mode: 'cut' as const };
    await this.core.client.rest('POST /api/servers/:serverId/workspace/nodes/paste', { serverId, body });
  }

  /** Pastes what was copied or cut into a folder; what was cut can be pasted once. */
  async paste(targetParentId: string | null): Promise<void> {
    const held = this.clipboard.peek();
    if (!held) return;
    const { serverId, nodes, mode } = held;
    const body = { nodeIds: nodes.map(({ id }) => id), targetParentId, mode };
    await this.core.client.rest('POST /api/servers/:serverId/workspace/nodes/paste', { serverId, body });
    // Something else may be in it by now.
    if (mode === 'cut' && this.clipboard.peek() === held) this.clipboard.value = null;
  }

  /** A URL with which the browser itself can fetch a file, for some minutes. */
  async linkTo(
    serverId: string,
    fileId: string,
    disposition: 'inline' | 'attachment',
    version?: number,
  ): Promise<string> {
    const params = { serverId, fileId, query: { disposition, version } };
    const call = 'GET /api/servers/:serverId/workspace/files/:fileId/media-url';
    return (await this.core.client.rest(call, params)).url;
  }

  /** A folder, or the whole workspace, as a ZIP file. */
  zip(serverId: string, folder: FileNode | null): Promise<Blob> {
    if (!folder) return this.core.client.rest('GET /api/servers/:serverId/workspace/download', { serverId });
    const params = { serverId, folderId: folder.id };
    return this.core.client.rest('GET /api/servers/:serverId/workspace/folders/:folderId/download', params);
  }
}
