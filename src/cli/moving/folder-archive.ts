import { createHash } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import nodePath from 'node:path';
import { TransferError } from '../transfer/failure.ts';
import { type Archive, type Bounds, fingerprintOf, Listing } from './archive.ts';

const edgeBytes = 64 * 1024;

/** An export in a folder, or a file of one. Links in it lead nowhere: only its own files are read. @throws TransferError */
export function folderArchive(path: string, bounds: Bounds): Archive {
  const isFolder = statSync(path).isDirectory();
  const root = isFolder ? path : nodePath.dirname(path);
  const sizes = new Map<string, number>();
  const listing = new Listing(bounds);
  for (const [name, size] of isFolder ? filesIn(path, '') : [fileAt(path)]) {
    listing.add(name, size);
    sizes.set(name, size);
  }
  const names = [...sizes.keys()].sort();
  return {
    names,
    fingerprint: fingerprintOf(names.map((name) => [name, String(sizes.get(name)), edgesOf(root, name)])),
    has: (name) => sizes.has(name),
    read: (name) => bytesOf(root, name, sizes.get(name)),
    close: () => {},
  };
}

function fileAt(path: string): [string, number] {
  return [nodePath.basename(path), statSync(path).size];
}

function* filesIn(root: string, folder: string): Generator<[string, number]> {
  for (const entry of readdirSync(nodePath.join(root, folder), { withFileTypes: true })) {
    if (entry.name.startsWith('.') || entry.name === '__MACOSX') continue;
    const name = `${folder}${entry.name}`;
    if (entry.isDirectory()) {
      // As deep as a path may be; what is deeper is refused by its first file.
      if (name.length < 2048) yield* filesIn(root, `${name}/`);
    } else if (entry.isFile()) yield [name, lstatSync(nodePath.join(root, name)).size];
  }
}

/** A hash of how a text begins and ends: files of the same names and sizes may be of another export. */
function edgesOf(root: string, name: string): string {
  if (!/\.jsonl?$/i.test(name)) return '';
  const file = openSync(nodePath.join(root, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const buffer = Buffer.alloc(edgeBytes);
    const hash = createHash('sha256');
    const size = lstatSync(nodePath.join(root, name)).size;
    for (const at of [0, Math.max(0, size - edgeBytes)]) {
      hash.update(buffer.subarray(0, readSync(file, buffer, 0, edgeBytes, at)));
    }
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}

async function* bytesOf(root: string, name: string, size: number | undefined): AsyncGenerator<Buffer> {
  if (size === undefined) throw new TransferError(`${name}: it is not there.`);
  const file = await opened(root, name);
  try {
    for await (const piece of file.createReadStream({ autoClose: false })) yield Buffer.from(piece);
  } finally {
    await file.close();
  }
}

async function opened(root: string, name: string) {
  try {
    return await open(nodePath.join(root, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    throw new TransferError(`${name}: it cannot be read (${error instanceof Error ? error.message : error}).`);
  }
}
