import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import type { Database, Rows } from '../../database/database.ts';
import { databaseCode, isUniqueViolation } from '../../database/failures.ts';
import { newId } from '../../infrastructure/ids.ts';
import { StoreMeter } from '../../infrastructure/s3/meter.ts';
import type { ByteRange, ServedContent } from '../../infrastructure/served-content.ts';
import {
  type BlobRow,
  chunksAtOnce,
  deleteBlob,
  deleteVersion,
  findBlob,
  finishBlob,
  insertChunks,
  insertUnfinished,
  type NewRow,
  readChunk,
  readWhole,
  touchByHash,
  upsertBlob,
} from './blob.table.ts';
import { BytesMissing } from './object.store.ts';

/** A content in the store. */
export interface StoredBlob {
  /** What rows refer to. The same content keeps the same id for as long as something refers to it. */
  id: string;
  /** SHA-256 in hex. */
  hash: string;
  /** Bytes. */
  size: number;
}

/** The store for the bytes of files and attachments: each content once, in pieces small enough to pass through memory. */
export interface BlobStore {
  /**
   * Stores a content of any size as it arrives. Not to be called inside a change: it takes as long as the sender does.
   * @throws AppError BODY_TOO_LARGE beyond `maxBytes`; nothing of it remains then
   */
  write(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob>;
  /** Stores a content that is in memory anyway, as part of the current change if there is one. */
  put(bytes: Uint8Array): Promise<StoredBlob>;
  /** The bytes of a blob, read as they are consumed. */
  read(id: string, range?: ByteRange): Readable;
  /** The bytes of several blobs, small enough to be held all at once, by their ids. */
  readSmall(ids: string[]): Promise<Map<string, Buffer>>;
  /** A blob for an HTTP answer with these headers, which may send the client elsewhere for its bytes. */
  served(blob: Pick<StoredBlob, 'id' | 'size'>, headers: ServedContent['headers']): Promise<ServedContent>;
  /** Runs `work`. If it fails, what it has stored is deleted at once, unless someone else stored or uses the same. */
  undoing<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Big enough to be fast; small enough for the text form in which PostgreSQL sends it to be young garbage: with eight
 * times as much a download of 100 MiB made the process grow by 40 MiB, with this by 3.
 */
export const chunkSize = 32 * 1024;

/** What a store of files uses of the database. */
export type BlobDatabase = Pick<Database, 'rows' | 'committedRows' | 'readImmutable'>;

/** All of it in one transaction. */
export function inTransaction(rows: Rows): BlobDatabase {
  return { rows, committedRows: rows, readImmutable: (work) => work(rows) };
}

/** The store in PostgreSQL: nothing else has to be run, backed up or kept in sync. */
export class DatabaseBlobStore implements BlobStore {
  private readonly database: BlobDatabase;
  private readonly meter: StoreMeter;
  /** The rows stored by work that may still fail. */
  private readonly stored = new AsyncLocalStorage<NewRow[]>();

  constructor(database: BlobDatabase, meter = new StoreMeter()) {
    this.database = database;
    this.meter = meter;
  }

  async write(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob> {
    const id = newId();
    const { committedRows: rows } = this.database;
    await insertUnfinished(rows, id, chunkSize);
    try {
      const hash = createHash('sha256');
      const size = await this.writeChunks(id, limited(bytes, maxBytes, hash));
      return await this.finish({ id, hash: hash.digest('hex'), size });
    } catch (error) {
      // If this fails too the collector removes what was started.
      await deleteBlob(rows, id).catch(() => {});
      throw error;
    }
  }

  async put(bytes: Uint8Array): Promise<StoredBlob> {
    const hash = createHash('sha256').update(bytes).digest('hex');
    const id = newId();
    const chunks = cut(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    const row = await upsertBlob(this.database.rows, { id, hash, size: bytes.length, chunkSize }, chunks);
    if (row.isNew) this.undoLater(row);
    this.meter.bytes.database.written += row.isNew ? bytes.length : 0;
    return { id: row.id, hash, size: bytes.length };
  }

  async undoing<T>(work: () => Promise<T>): Promise<T> {
    const stored: NewRow[] = [];
    try {
      return await this.stored.run(stored, work);
    } catch (error) {
      for (const row of stored) await this.discard(row);
      throw error;
    }
  }

  /** Foreign keys keep what is in use. If this fails otherwise, the collector removes it later. */
  private async discard({ id, version }: NewRow): Promise<void> {
    await deleteVersion(this.database.committedRows, id, version).catch(() => {});
  }

  /** Something new was stored: if the work that it is for fails, it is deleted. */
  undoLater(row: NewRow): void {
    this.stored.getStore()?.push(row);
  }

  read(id: string, range?: ByteRange): Readable {
    return Readable.from(this.found(id, range), { objectMode: false, highWaterMark: chunkSize });
  }

  async readSmall(ids: string[]): Promise<Map<string, Buffer>> {
    return new Map((await this.readWhole(ids)).map(({ id, data }) => [id, data]));
  }

  async served(
    { id, size }: Pick<StoredBlob, 'id' | 'size'>,
    headers: ServedContent['headers'],
  ): Promise<ServedContent> {
    return { size, etag: id, headers, read: (range) => this.read(id, range) };
  }

  /** Small blobs with their bytes, as far as those are here. */
  async readWhole(ids: string[]): Promise<(BlobRow & { data: Buffer })[]> {
    const found = await this.database.readImmutable(async (rows) => {
      const some = await readWhole(rows, ids);
      return some.length < ids.length ? undefined : some;
    });
    // One that is gone does not take the others with it.
    const all = found ?? (await readWhole(this.database.committedRows, ids));
    for (const { data } of all) this.meter.bytes.database.read += data.length;
    return all;
  }

  /** The bytes of a blob that is here, from `start` to `end`, as they are consumed. @throws BytesMissing */
  async *pieces(blob: BlobRow, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; ) {
      const position = Math.floor(at / blob.chunkSize);
      // One at a time: several at once are faster, but the driver's memory grows with them.
      const chunk = await this.meter.timed('database', 'get', () =>
        this.database.readImmutable((rows) => readChunk(rows, blob.id, position)),
      );
      if (!chunk) throw new BytesMissing(`The blob ${blob.id} has lost its chunk ${position}.`);
      this.meter.bytes.database.read += chunk.length;
      const offset = position * blob.chunkSize;
      yield chunk.subarray(at - offset, end + 1 - offset);
      at = offset + blob.chunkSize;
    }
  }

  /** Writes the bytes of a blob whose row is there. @returns how many */
  async writeChunks(id: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    for await (const piece of inBatches(bytes)) {
      const chunks = cut(piece).map((chunk, index) => [size / chunkSize + index, chunk] as const);
      await this.meter.timed('database', 'put', () => insertChunks(this.database.committedRows, id, chunks));
      size += piece.length;
      this.meter.bytes.database.written += piece.length;
    }
    return size;
  }

  private async *found(id: string, range: ByteRange | undefined): AsyncGenerator<Buffer> {
    const blob = await this.database.readImmutable((rows) => findBlob(rows, id));
    if (!blob) throw new Error(`The blob ${id} is gone.`);
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, blob.size - 1);
    yield* this.pieces(blob, { start: range?.start ?? 0, end });
  }

  /** Records the hash of what was written, or finds that the content was stored already. */
  private async finish(blob: StoredBlob): Promise<StoredBlob> {
    const { committedRows: rows } = this.database;
    for (;;) {
      const known = await touchByHash(rows, blob.hash);
      if (known) {
        await deleteBlob(rows, blob.id);
        return { ...blob, id: known };
      }
      try {
        const row = await finishBlob(rows, blob);
        this.undoLater(row);
        return blob;
      } catch (error) {
        // Someone stored the same content meanwhile.
        if (!isUniqueViolation(error) && databaseCode(error) !== '40P01') throw error;
      }
    }
  }
}

/** The error for a file that is larger than allowed. */
export function fileTooLarge(maxBytes: number): AppError {
  return new AppError('BODY_TOO_LARGE', { message: `A file may have at most ${sizeOf(maxBytes)} here.` });
}

function sizeOf(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes} bytes` : `${Math.floor(bytes / 2 ** 20)} MB`;
}

/** The bytes of a stream, which also go into a hash. @throws AppError BODY_TOO_LARGE */
export async function* limited(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  hash: Hash,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > maxBytes) {
      throw fileTooLarge(maxBytes);
    }
    hash.update(piece);
    yield piece;
  }
}

/** Splits a stream into pieces of whole chunks. One buffer serves for all: it is valid until the next one is requested. */
async function* inBatches(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(chunksAtOnce * chunkSize);
  let filled = 0;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(piece.length - at, buffer.length - filled);
      buffer.set(piece.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled === buffer.length) {
        yield buffer;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

function cut(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  );
}
