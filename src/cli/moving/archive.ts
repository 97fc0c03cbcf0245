import { createHash } from 'node:crypto';
import { TransferError } from '../transfer/failure.ts';

/**
 * The files of an export, in a ZIP file, a folder, or alone. They are treated as hostile: how many there are, their names,
 * depth and sizes are checked before anything is read, none yields more than it announced, and nothing is written by its name.
 */
export interface Archive {
  /** Paths with `/`, sorted by their code units. */
  readonly names: readonly string[];
  /** The same for the same files, wherever they are. */
  readonly fingerprint: string;
  has(name: string): boolean;
  /** The bytes of a file. @throws TransferError where it is damaged or gone */
  read(name: string): AsyncGenerator<Buffer>;
  close(): void;
}

/** How much an export may have, at most. */
export interface Bounds {
  /** Bytes of all files, unpacked. */
  bytes: number;
}

const maxFiles = 1_000_000;
const maxPath = 1024;
const maxFolders = 20;

/** Checks the list of files as it is read. */
export class Listing {
  private readonly bounds: Bounds;
  private bytes = 0;
  private count = 0;

  constructor(bounds: Bounds) {
    this.bounds = bounds;
  }

  /** @throws TransferError where it is one too many, too deep or too large */
  add(name: string, size: number): void {
    const shown = JSON.stringify(name.slice(0, 100));
    if (++this.count > maxFiles) throw new TransferError(`It has more than ${maxFiles} files.`);
    if (name.length > maxPath) throw new TransferError(`The name of its file ${shown} is too long.`);
    if (name.split('/').length > maxFolders) throw new TransferError(`Its file ${shown} is too deep in folders.`);
    this.bytes += size;
    if (this.bytes > this.bounds.bytes) {
      throw new TransferError(
        `More than ${this.bounds.bytes} bytes would come out of it; allow more with --max-bytes.`,
      );
    }
  }
}

/** The position of the first name that is not less. */
function firstFrom(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The files in a folder and below it, in their order. @param folder with `/` at its end, or empty */
export function* under(archive: Archive, folder: string): Generator<string> {
  for (let at = firstFrom(archive.names, folder); at < archive.names.length; at++) {
    const name = archive.names[at] ?? '';
    if (!name.startsWith(folder)) return;
    yield name;
  }
}

/** The folder of the file with a name that is the least deep: exports are often packed with a folder around them. */
export function rootOf(archive: Archive, isIt: (base: string) => boolean): string | undefined {
  let root: string | undefined;
  for (const name of archive.names) {
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    if (!isIt(name.slice(folder.length)) || folder.startsWith('__MACOSX/')) continue;
    if (root === undefined || folder.split('/').length < root.split('/').length) root = folder;
  }
  return root;
}

/** Names and sizes in one hash. */
export function fingerprintOf(files: Iterable<readonly string[]>): string {
  const hash = createHash('sha256');
  for (const parts of files) hash.update(`${parts.join('\0')}\n`);
  return hash.digest('hex');
}
