import { useState } from 'preact/hooks';
import { pause } from '../../../../client/backoff.ts';
import { ParleyError } from '../../../../client/index.ts';
import type { DroppedFile } from '../../state/dropped-files.ts';
import { attempt } from '../../state/toasts.ts';
import { createFolder, uploadFile } from '../../state/workspace.ts';

/** Files on their way into a folder, one after the other; one that is refused does not keep the others out. */
export function useUploads(serverId: string, folderId: string | null, onDone: () => Promise<void>) {
  const [left, setLeft] = useState(0);
  const add = async (files: DroppedFile[]) => {
    setLeft((count) => count + files.length);
    const folders = new Map<string, Promise<string>>();
    const folderOf = (names: string[]): Promise<string | null> => {
      const name = names.at(-1);
      if (name === undefined) return Promise.resolve(folderId);
      const key = JSON.stringify(names);
      const made =
        folders.get(key) ??
        folderOf(names.slice(0, -1)).then(
          async (parent) => (await inTurn(() => createFolder(serverId, parent, name))).id,
        );
      folders.set(key, made);
      return made;
    };
    for (const { folders: names, file } of files) {
      await attempt(async () => {
        const folder = await folderOf(names);
        await inTurn(() => uploadFile(serverId, folder, file));
      });
      setLeft((count) => count - 1);
    }
    await attempt(onDone);
  };
  return { left, add };
}

/** A folder may hold more files than anyone may send in a minute: then the rest waits for the next one. */
async function inTurn<R>(send: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'RATE_LIMITED') throw error;
      await pause((error.retryAfter ?? 1) * 1000);
    }
  }
}
