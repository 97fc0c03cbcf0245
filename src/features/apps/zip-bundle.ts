import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { AppError } from '../../contract/errors.ts';
import { isLitter, nameOf, pathOf } from '../../contract/schema/zip-names.ts';
import { isConflict, isUnavailable } from '../../database/failures.ts';
import { checkedBytes } from '../../infrastructure/zip-writer.ts';
import type { BlobStore, StoredBlob } from '../blobs/blob.store.ts';
import {
  type BundleFile,
  type BundleLimits,
  badBundle,
  requireInnerPath,
  requireSound,
  withoutWrapper,
} from './bundle.ts';

/** Smaller files are stored in one piece. */
const smallBytes = 256 * 1024;
/** How many entries are read before other work gets a turn. */
const perTurn = 100;
const unicodePath = 0x7075;
const utf8Flag = 0x0800;
const fileTypeMask = 0o170000;
const regularFile = 0o100000;
const folder = 0o040000;

/**
 * Unpacks a ZIP file from the store, its files into the store. It is treated as hostile: nothing is unpacked before all
 * names and sizes are checked, and no more is unpacked than was declared.
 * @throws AppError BUNDLE_INVALID
 */
export async function unpackBundle(
  blobs: BlobStore,
  archive: { blobId: string; size: number },
  limits: BundleLimits,
): Promise<BundleFile[]> {
  const zip = await asBundleError(() =>
    yauzl.fromRandomAccessReaderPromise(new BlobReader(blobs, archive), archive.size, {
      lazyEntries: true,
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: true,
    }),
  );
  // Checked before the list is read, so a million entries are never read. Folders and litter are not files.
  if (zip.entryCount > 3 * limits.entries) throw badBundle(`An app can have at most ${limits.entries} entries.`);
  const entries = await asBundleError(() => listEntries(zip));
  requireSound(
    entries.map(({ path, entry }) => ({ path, size: entry.uncompressedSize })),
    limits,
  );
  const files: BundleFile[] = [];
  for (const { path, entry } of entries) {
    const blob = await asBundleError(() => unpackEntry(zip, entry, blobs));
    files.push({ path, blobId: blob.id, size: blob.size });
  }
  return withoutWrapper(files);
}

async function listEntries(zip: yauzl.ZipFile): Promise<{ path: string; entry: yauzl.Entry }[]> {
  const entries: { path: string; entry: yauzl.Entry }[] = [];
  let count = 0;
  for await (const entry of zip.eachEntry()) {
    if (++count % perTurn === 0) await nextTurn();
    const path = pathOf(rawName(entry));
    if (isLitter(path)) continue;
    const isFolder = path.endsWith('/');
    requireInnerPath(isFolder ? path.slice(0, -1) : path);
    requireOrdinary(entry, path);
    if (!isFolder) entries.push({ path, entry });
  }
  return entries;
}

/** Marked as UTF-8, by a field of its own (Info-ZIP's, if it still belongs to this name) or by a flag; or not marked. */
function rawName({ fileNameRaw, extraFields, generalPurposeBitFlag }: yauzl.Entry): string {
  const field = extraFields.find(({ id }) => id === unicodePath)?.data;
  if (field && field.length > 5 && field[0] === 1 && field.readUInt32LE(1) === crc32(fileNameRaw)) {
    return field.toString('utf8', 5);
  }
  return generalPurposeBitFlag & utf8Flag ? fileNameRaw.toString('utf8') : nameOf(fileNameRaw);
}

function requireOrdinary(entry: yauzl.Entry, path: string): void {
  const shown = JSON.stringify(path.slice(0, 100));
  const type = (entry.externalFileAttributes >>> 16) & fileTypeMask;
  if (type !== 0 && type !== regularFile && type !== folder) {
    throw badBundle(`The entry ${shown} is a link or a device; only files and folders can be in an app.`);
  }
  if (entry.isEncrypted()) throw badBundle(`The entry ${shown} is encrypted.`);
}

async function unpackEntry(zip: yauzl.ZipFile, entry: yauzl.Entry, blobs: BlobStore): Promise<StoredBlob> {
  const stream = await zip.openReadStreamPromise(entry);
  if (entry.uncompressedSize > smallBytes) return blobs.write(checked(stream, entry), entry.uncompressedSize);
  return blobs.put(await buffer(Readable.from(checked(stream, entry), { objectMode: false })));
}

function checked(stream: AsyncIterable<Buffer>, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  return checkedBytes(stream, entry, () =>
    badBundle(`The entry ${JSON.stringify(rawName(entry).slice(0, 100))} is damaged.`),
  );
}

/** Problems of the archive are reported to the publisher; our own are not. */
async function asBundleError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || isUnavailable(error) || isConflict(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw badBundle(`The ZIP file cannot be read: ${reason.slice(0, 200).replace(/\.$/, '')}.`, error);
  }
}

/** Reads an archive in the store piecewise. The list at its end is read in small steps, so a piece of it is cached. */
class BlobReader extends yauzl.RandomAccessReader {
  private readonly blobs: BlobStore;
  private readonly blobId: string;
  private readonly size: number;
  private held = { start: 0, bytes: Buffer.alloc(0) };

  constructor(blobs: BlobStore, { blobId, size }: { blobId: string; size: number }) {
    super();
    this.blobs = blobs;
    this.blobId = blobId;
    this.size = size;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.blobs.read(this.blobId, { start, end: end - 1 });
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.load(position, length).then(
      (bytes) => {
        bytes.copy(target, offset);
        callback(null);
      },
      (error) => callback(error),
    );
  }

  private async load(position: number, length: number): Promise<Buffer> {
    if (position < 0 || position + length > this.size) throw badBundle('The ZIP file points to places outside itself.');
    const from = position - this.held.start;
    if (from < 0 || from + length > this.held.bytes.length) {
      const end = Math.min(position + Math.max(length, smallBytes), this.size);
      this.held = { start: position, bytes: await buffer(this._readStreamForRange(position, end)) };
    }
    const at = position - this.held.start;
    return this.held.bytes.subarray(at, at + length);
  }
}
