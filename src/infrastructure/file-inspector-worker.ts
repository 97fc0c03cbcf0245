import { parentPort } from 'node:worker_threads';
import { fileTypeFromBuffer } from 'file-type';
import { imageSize } from 'image-size';
import type { FileFacts } from './file-inspector.ts';

/** The thread that inspects uploads: anyone makes them, and reading them may take forever. */
parentPort?.on('message', async (head: Uint8Array) => {
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  const mime = type?.mime ?? null;
  parentPort?.postMessage({ mime, ...(mime?.startsWith('image/') ? sizeOf(head) : { width: null, height: null }) });
});
parentPort?.postMessage('ready');

function sizeOf(head: Uint8Array): Pick<FileFacts, 'width' | 'height'> {
  try {
    const { width, height, orientation = 1 } = imageSize(head);
    // Photos taken sideways are shown upright.
    return orientation >= 5 ? { width: height, height: width } : { width, height };
  } catch {
    return { width: null, height: null };
  }
}
