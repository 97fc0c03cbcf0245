import yauzl from 'yauzl';
import { checkedBytes } from '../../infrastructure/zip-writer.ts';
import { TransferError } from '../transfer/failure.ts';
import { type Archive, type Bounds, fingerprintOf, Listing } from './archive.ts';

/** An export in a ZIP file. @throws TransferError */
export async function zipArchive(path: string, bounds: Bounds): Promise<Archive> {
  const options = { lazyEntries: true, autoClose: false, strictFileNames: false, validateEntrySizes: true };
  const zip = await reading(path, () => yauzl.openPromise(path, options));
  try {
    const entries = await reading(path, () => list(zip, bounds));
    const names = [...entries.keys()].sort();
    return {
      names,
      fingerprint: fingerprintOf(names.map((name) => [name, ...sumOf(entries.get(name))])),
      has: (name) => entries.has(name),
      read: (name) => unpacked(zip, name, entries.get(name)),
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const sumOf = (entry: yauzl.Entry | undefined) => [String(entry?.uncompressedSize), String(entry?.crc32)];

async function list(zip: yauzl.ZipFile, bounds: Bounds): Promise<Map<string, yauzl.Entry>> {
  const entries = new Map<string, yauzl.Entry>();
  const listing = new Listing(bounds);
  for await (const entry of zip.eachEntry()) {
    const { fileName: name } = entry;
    listing.add(name, entry.uncompressedSize);
    if (name.endsWith('/') || name.startsWith('__MACOSX/')) continue;
    const shown = JSON.stringify(name.slice(0, 100));
    if (entry.isEncrypted()) throw new TransferError(`Its file ${shown} is encrypted.`);
    if (entries.has(name)) throw new TransferError(`Its file ${shown} is there twice.`);
    // There may be hundreds of thousands: what is not needed to read them is not kept.
    entries.set(name, Object.assign(entry, { extraFields: [], fileComment: '' }));
  }
  return entries;
}

async function* unpacked(zip: yauzl.ZipFile, name: string, entry: yauzl.Entry | undefined): AsyncGenerator<Buffer> {
  if (!entry) throw new TransferError(`${name}: it is not there.`);
  const bytes = await reading(name, () => zip.openReadStreamPromise(entry));
  try {
    const pieces = checkedBytes(bytes, entry, () => new TransferError(`${name}: it is damaged.`));
    for (;;) {
      const next = await reading(name, () => pieces.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    bytes.destroy();
  }
}

/** The reader's errors as ones for the operator. */
async function reading<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(`${what}: it cannot be read (${error instanceof Error ? error.message : error}).`);
  }
}
