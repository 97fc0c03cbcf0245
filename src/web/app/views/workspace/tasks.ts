import { saveFile } from '../../browser.ts';
import type { FileNode } from '../../state/workspace.ts';
import type { DroppedFile } from '../parts/dropping.ts';
import type { AppState } from '../useApp.ts';
import { kindOf } from './kinds.ts';

/** What the user is about to do in a workspace. */
export type FileTask =
  | { what: 'new folder' | 'new file'; parentId: string | null }
  | { what: 'rename' | 'edit' | 'look' | 'versions' | 'publish'; node: FileNode }
  | { what: 'unpack'; node: FileNode }
  | { what: 'clash'; clashes: Clash[] }
  | { what: 'delete'; nodes: FileNode[] };

/** A file to upload where there is one of its name. */
export interface Clash {
  file: DroppedFile;
  node: FileNode;
}

/** Shows a file, or has the browser save it where it cannot be shown. */
export function open(app: AppState, serverId: string, node: FileNode, onTask: (task: FileTask) => void): void {
  const kind = kindOf(node);
  if (kind === null) void download(app, serverId, node);
  else onTask({ what: kind === 'text' ? 'edit' : 'look', node });
}

/** @param version an older one; undefined: as it is now */
export function download(app: AppState, serverId: string, node: FileNode, version?: number): Promise<boolean> {
  if (node.kind === 'dir') {
    return app.attempt(async () => saveFile(await app.workspace.zip(serverId, node), `${node.name}.zip`));
  }
  return app.attempt(async () => location.assign(await app.workspace.linkTo(serverId, node.id, 'attachment', version)));
}
