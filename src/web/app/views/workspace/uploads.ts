import { useRef, useState } from 'preact/hooks';
import { pause } from '../../../../client/backoff.ts';
import { ParleyError } from '../../../../client/index.ts';
import { formatSize } from '../../state/sizes.ts';
import type { FileNode } from '../../state/workspace.ts';
import type { DroppedFile } from '../parts/dropping.ts';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import type { Clash } from './tasks.ts';

/** Uploads of a page. */
export interface Uploads {
  /** How many files are not there yet, and how many there were. */
  left: number;
  total: number;
  /** Uploads files to a folder. */
  add(files: readonly DroppedFile[], folderId?: string | null): Promise<void>;
  /** Uploads files as new versions of those of their names. */
  replace(clashes: readonly Clash[]): Promise<void>;
  /** What has not begun is not uploaded. */
  cancel(): void;
}

interface UploadsOf {
  serverId: string;
  /** The folder that is shown. */
  folderId: string | null;
  onDone(): Promise<void>;
}

/** Uploads files one after the other. A refused one does not stop the others. */
export function useUploads({ serverId, folderId, onDone }: UploadsOf): Uploads {
  const { t } = useTexts();
  const app = useApp();
  const { workspace, attempt, showToast } = app;
  const [{ left, total }, setCount] = useState({ left: 0, total: 0 });
  /** Whatever began before it was called off. */
  const run = useRef({ isOff: false });
  const each = async <T extends { file: { size: number; name: string } }>(
    list: readonly T[],
    send: (one: T) => Promise<unknown>,
  ) => {
    const mine = run.current;
    setCount((count) => ({ left: count.left + list.length, total: count.total + list.length }));
    for (const one of list) {
      if (!mine.isOff) {
        await attempt(async () => {
          const largest = await workspace.largestFile(serverId);
          const { name, size } = one.file;
          if (size > largest) showToast(t('{name} is larger than {size}.', { name, size: formatSize(largest) }), 'bad');
          else await waitForLimit(() => send(one));
        });
      }
      setCount((count) => (count.left <= 1 ? { left: 0, total: 0 } : { ...count, left: count.left - 1 }));
    }
    await attempt(onDone);
  };
  return {
    left,
    total,
    add: (files, into = folderId) => {
      const folderOf = foldersIn(app, serverId, into);
      return each(files, async ({ folders, file }) => workspace.upload(serverId, await folderOf(folders), file));
    },
    replace: (clashes) =>
      each(
        clashes.map(({ file, node }) => ({ ...file, node })),
        ({ file, node }) => workspace.replace(serverId, node.id, file),
      ),
    cancel() {
      run.current.isOff = true;
      run.current = { isOff: false };
    },
  };
}

/** Makes the folders of what is uploaded, each once. @returns the id of one by its names */
function foldersIn({ workspace }: AppState, serverId: string, into: string | null) {
  const made = new Map<string, Promise<string>>();
  const folderOf = (names: readonly string[]): Promise<string | null> => {
    const name = names.at(-1);
    if (name === undefined) return Promise.resolve(into);
    const key = JSON.stringify(names);
    const folder =
      made.get(key) ??
      folderOf(names.slice(0, -1)).then(
        async (parent) => (await waitForLimit(() => workspace.createFolder(serverId, parent, name))).id,
      );
    made.set(key, folder);
    return folder;
  };
  return folderOf;
}

/** Files of the same name as some that are there: whether they take the place of those is for the user to say. */
export function clashesOf(files: readonly DroppedFile[], list: readonly FileNode[]): Clash[] {
  const known = new Map(list.flatMap((node) => (node.kind === 'file' ? [[node.name, node] as const] : [])));
  return files.flatMap((file) => {
    const node = file.folders.length === 0 ? known.get(file.file.name.normalize('NFC')) : undefined;
    return node ? [{ file, node }] : [];
  });
}

/** A dropped folder may hold more files than the rate limit allows in a minute: the rest waits. */
async function waitForLimit<R>(send: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'RATE_LIMITED') throw error;
      await pause((error.retryAfter ?? 1) * 1000);
    }
  }
}
