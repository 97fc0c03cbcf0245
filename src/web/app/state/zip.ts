import type { JSZipObject } from 'jszip';
import { isLitter, nameOf, pathOf } from '../../../contract/schema/zip-names.ts';
import type { DroppedFile } from '../views/parts/dropping.ts';
import { Failure } from './toasts.ts';

declare module 'jszip' {
  interface JSZipObject {
    /** Documented, but not declared. */
    internalStream(type: 'uint8array'): JSZipStreamHelper<Uint8Array>;
  }
}

/** As for the bundles of apps: anything larger is a mistake, or a trap. */
const maxFiles = 2000;
const maxBytes = 100 * 1024 * 1024;

/**
 * The files in a ZIP archive, with their folders. Names that lead outside (`..`), and what operating systems add on their
 * own, are skipped.
 * @throws Error when it is no archive, is damaged, or is too large
 */
export async function unzip(archive: Blob): Promise<DroppedFile[]> {
  const entries = await entriesOf(archive);
  const files: DroppedFile[] = [];
  let room = maxBytes;
  for (const entry of entries) {
    const path = pathOf(entry.unsafeOriginalName ?? entry.name);
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    const name = parts.pop();
    if (!name || path.endsWith('/') || isLitter(path) || [...parts, name].includes('..')) continue;
    if (files.length >= maxFiles) throw tooLarge();
    const content = await contentOf(entry, room);
    room -= content.size;
    files.push({ folders: parts, file: new File([content], name) });
  }
  return files;
}

async function entriesOf(archive: Blob): Promise<JSZipObject[]> {
  // Few need it, so it is loaded for them alone.
  const { default: Zip } = await import('jszip');
  try {
    const decodeFileName = (bytes: string[] | Uint8Array) =>
      bytes instanceof Uint8Array ? nameOf(bytes) : bytes.join('');
    return Object.values((await Zip.loadAsync(archive, { decodeFileName })).files).filter(({ dir }) => !dir);
  } catch {
    throw new Failure('This is not a ZIP archive, or it is damaged.');
  }
}

/** An archive's own claims cannot be trusted: what is larger than there is room for is abandoned in time. */
function contentOf(entry: JSZipObject, room: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    const stream = entry.internalStream('uint8array');
    stream
      .on('data', (piece) => {
        size += piece.length;
        if (size <= room) pieces.push(new Uint8Array(piece));
        else {
          stream.pause();
          reject(tooLarge());
        }
      })
      .on('error', () => reject(new Failure('This archive is damaged.')))
      .on('end', () => resolve(new Blob(pieces)))
      .resume();
  });
}

function tooLarge(): Error {
  return new Failure('This archive is too large to unpack here.');
}
