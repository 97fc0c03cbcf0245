import type { FileNode } from '../../state/workspace.ts';
import { type DroppedFile, droppedFiles } from '../parts/dropping.ts';
import { type AppState, useApp } from '../useApp.ts';

/** The data type of dragged files and folders of the workspace: their ids. */
const dragType = 'application/x-parley-nodes';

const has = (event: DragEvent, type: string) => event.dataTransfer?.types.includes(type) ?? false;

interface Target {
  serverId: string;
  /** Where it is dropped; null: at the top. */
  folderId: string | null;
  /** After a move. */
  onMoved(): Promise<void>;
  /** Of files from outside; undefined: they are not taken. */
  onFiles?: ((files: DroppedFile[], folderId: string | null) => void) | undefined;
}

/** Takes what is dropped on a folder: files and folders of the workspace, and files of the system. */
export function useFolderDrop({ serverId, folderId, onMoved, onFiles }: Target) {
  const { workspace, attempt } = useApp();
  const takes = (event: DragEvent) => has(event, dragType) || (onFiles !== undefined && has(event, 'Files'));
  return {
    onDragOver(event: DragEvent) {
      if (!takes(event)) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event: DragEvent) => mark(event, false),
    onDrop(event: DragEvent) {
      mark(event, false);
      const { dataTransfer } = event;
      if (!dataTransfer || !takes(event)) return;
      event.preventDefault();
      const ids = dataTransfer.getData(dragType).split(' ').filter(Boolean);
      if (ids.length === 0) void attempt(async () => onFiles?.(await droppedFiles(dataTransfer), folderId));
      else if (!folderId || !ids.includes(folderId))
        void attempt(() => workspace.move(serverId, ids, folderId).then(onMoved));
    },
  };
}

function mark({ currentTarget }: DragEvent, isOver: boolean): void {
  if (currentTarget instanceof HTMLElement) currentTarget.classList.toggle('over', isOver);
}

const linkMs = 5 * 60_000;

/** Files and folders that can be dragged: within the page, and one file out of it, which the system then saves. */
export function draggable(app: AppState, serverId: string, node: FileNode, ids: readonly string[]) {
  const { dragLinks: links } = app.workspace;
  const isAlone = node.kind === 'file' && ids.length === 1;
  return {
    draggable: true,
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.pointerType !== 'mouse' || !isAlone) return;
      if ((links.get(node.id)?.until ?? 0) > Date.now()) return;
      // Without it, it is dragged within the page.
      app.workspace.linkTo(serverId, node.id, 'attachment').then(
        (url) => links.set(node.id, { url, until: Date.now() + linkMs }),
        () => {},
      );
    },
    onDragStart({ dataTransfer }: DragEvent) {
      if (!dataTransfer) return;
      dataTransfer.setData(dragType, ids.join(' '));
      dataTransfer.effectAllowed = 'copyMove';
      const link = isAlone ? links.get(node.id) : undefined;
      if (!link || link.until <= Date.now()) return;
      const url = new URL(link.url, location.href).href;
      const name = node.name.replaceAll(':', '_');
      dataTransfer.setData('DownloadURL', `${node.mime ?? 'application/octet-stream'}:${name}:${url}`);
      dataTransfer.setData('text/uri-list', url);
    },
  };
}
