import { buffer } from 'node:stream/consumers';
import yauzl from 'yauzl';
import { AppError } from '../../contract/errors.ts';
import { validated } from '../../contract/schema/validation.ts';
import { checkedBytes } from '../../infrastructure/zip-writer.ts';
import { TransferError } from './failure.ts';
import { type Line, readLines } from './lines.ts';
import { blobFolder, type Manifest, manifestEntry, manifestSchema } from './manifest.ts';
import { fileOf, formatName, formatVersion } from './part.ts';
import { parts } from './parts.ts';

/** A content: its bytes can be read once, before the next content. */
export interface Content {
  sha256: string;
  size: number;
  bytes: AsyncIterable<Buffer>;
}

const maxManifestBytes = 64 * 1024;
const maxContents = 5_000_000;
const files = new Set([manifestEntry, ...parts.map(fileOf)]);
const contentName = /^blobs\/([0-9a-f]{64})$/;

/**
 * An export file on disk. It is treated as hostile: names, numbers and sizes are checked before anything is unpacked, no
 * more is unpacked than was declared, and only the current line is held in memory.
 */
export class ExportFile {
  private readonly path: string;
  private readonly zip: yauzl.ZipFile;
  private readonly entries: Map<string, yauzl.Entry>;
  readonly manifest: Manifest;

  private constructor(path: string, zip: yauzl.ZipFile, entries: Map<string, yauzl.Entry>, manifest: Manifest) {
    this.path = path;
    this.zip = zip;
    this.entries = entries;
    this.manifest = manifest;
  }

  /**
   * @param maxBytes how much may be unpacked
   * @throws TransferError when it is no export, or none that this version supports
   */
  static async open(path: string, maxBytes: number): Promise<ExportFile> {
    const zip = await openZip(path);
    try {
      const entries = await reading(path, () => listEntries(zip, maxBytes));
      return new ExportFile(path, zip, entries, await readManifest(zip, entries));
    } catch (error) {
      zip.close();
      throw error;
    }
  }

  /** The lines of a file; none if it does not exist. @throws TransferError naming the line that cannot be read */
  async *lines(name: string): AsyncGenerator<Line> {
    const entry = this.entries.get(name);
    if (entry) yield* readLines(name, unpacked(this.zip, entry));
  }

  /** The contents, in the order of the file. */
  async *contents(): AsyncGenerator<Content> {
    // Reads the list again, a piece at a time: it may be of any length.
    const zip = await openZip(this.path);
    try {
      const listed = zip.eachEntry();
      for (;;) {
        const next = await reading(this.path, () => listed.next());
        if (next.done) break;
        const [, sha256] = contentName.exec(next.value.fileName) ?? [];
        if (sha256) yield { sha256, size: next.value.uncompressedSize, bytes: unpacked(zip, next.value) };
      }
    } finally {
      zip.close();
    }
  }

  close(): void {
    this.zip.close();
  }
}

function openZip(path: string): Promise<yauzl.ZipFile> {
  const options = { lazyEntries: true, autoClose: false, strictFileNames: true, validateEntrySizes: true };
  return reading(path, () => yauzl.openPromise(path, options));
}

/** The entries other than contents, by name. */
async function listEntries(zip: yauzl.ZipFile, maxBytes: number): Promise<Map<string, yauzl.Entry>> {
  if (zip.entryCount > maxContents + files.size) throw new TransferError(`It has ${zip.entryCount} entries, too many.`);
  const entries = new Map<string, yauzl.Entry>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const { fileName: name } = entry;
    const shown = JSON.stringify(name.slice(0, 100));
    if (entry.isEncrypted()) throw new TransferError(`Its entry ${shown} is encrypted.`);
    if (!contentName.test(name) && !files.has(name))
      throw new TransferError(`Its entry ${shown} is no part of an export.`);
    if (entries.has(name)) throw new TransferError(`Its entry ${shown} is there twice.`);
    if (!name.startsWith(blobFolder)) entries.set(name, entry);
    bytes += entry.uncompressedSize;
    if (bytes > maxBytes) {
      throw new TransferError(`More than ${maxBytes} bytes would come out of it; allow more with --max-bytes.`);
    }
  }
  return entries;
}

async function readManifest(zip: yauzl.ZipFile, entries: Map<string, yauzl.Entry>): Promise<Manifest> {
  const entry = entries.get(manifestEntry);
  if (!entry) throw new TransferError(`It is no export of a server: there is no ${manifestEntry} in it.`);
  if (entry.uncompressedSize > maxManifestBytes) throw new TransferError(`Its ${manifestEntry} is too long.`);
  const text = (await buffer(unpacked(zip, entry))).toString();
  const said = parsed(text, manifestEntry);
  const version: unknown = Reflect.get(said, 'version');
  if (Reflect.get(said, 'format') !== formatName)
    throw new TransferError(`It is no export of a server: ${manifestEntry} does not say so.`);
  if (version !== formatVersion) {
    throw new TransferError(
      `It has version ${JSON.stringify(version)} of the format; this Parley understands version ${formatVersion}.`,
    );
  }
  return fitting(() => validated(manifestSchema, said), manifestEntry);
}

/** JSON text that must be an object. @throws TransferError naming the location */
export function parsed(text: string, place: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TransferError(`${place}: this is no JSON (${error instanceof Error ? error.message : error}).`);
  }
  if (typeof value !== 'object' || value === null) throw new TransferError(`${place}: this is no JSON object.`);
  return value;
}

/** The issues that a schema finds, with the location. */
export function fitting<T>(check: () => T, place: string): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof AppError) throw new TransferError(`${place}: ${error.message}`);
    throw error;
  }
}

/** The bytes of an entry; errors in them are reported with its name. */
async function* unpacked(zip: yauzl.ZipFile, entry: yauzl.Entry): AsyncGenerator<Buffer> {
  const { fileName: name } = entry;
  const damaged = () => new TransferError(`${name}: it is damaged.`);
  const bytes = await reading(name, () => zip.openReadStreamPromise(entry));
  const pieces = checkedBytes(bytes, entry, damaged);
  for (;;) {
    const next = await reading(name, () => pieces.next());
    if (next.done) return;
    yield next.value;
  }
}

/** Runs a read of the file, and turns the reader's errors into ones for the operator. */
async function reading<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(`${what}: it cannot be read (${error instanceof Error ? error.message : error}).`);
  }
}
