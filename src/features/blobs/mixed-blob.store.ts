import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { StoreMeter } from '../../infrastructure/s3/meter.ts';
import type { ByteRange, ServedContent } from '../../infrastructure/served-content.ts';
import type { Settings } from '../../settings/settings.ts';
import {
  type BlobDatabase,
  type BlobStore,
  chunkSize,
  DatabaseBlobStore,
  limited,
  type StoredBlob,
} from './blob.store.ts';
import { type BlobRow, findBlob, touchByHash } from './blob.table.ts';
import { BytesMissing, type ObjectStore } from './object.store.ts';
import { adoptObject } from './object.table.ts';
import { beginning } from './pieces.ts';

/** Someone else may store the same content, and delete it, at the same time. */
const tries = 5;
const readAtOnce = 8;

/**
 * Files in the database and in a bucket. The settings say where new ones go; each is read from where it is, also while it is
 * being moved. What a change stores as a part of itself is in the database, and so are small files: the bucket is far away.
 */
export class MixedBlobStore implements BlobStore {
  private readonly database: BlobDatabase;
  private readonly chunks: DatabaseBlobStore;
  private readonly objects: ObjectStore | null;
  private readonly settings: Pick<Settings, 'blobStore' | 's3'> & Settings['blobs']['s3'];
  private uploads = 0;

  /** @param objects null: no bucket is configured */
  constructor(
    database: BlobDatabase,
    objects: ObjectStore | null,
    settings: Pick<Settings, 'blobStore' | 's3' | 'blobs'>,
    meter: StoreMeter,
  ) {
    this.database = database;
    this.objects = objects;
    this.settings = { ...settings.blobs.s3, blobStore: settings.blobStore, s3: settings.s3 };
    this.chunks = new DatabaseBlobStore(database, meter);
  }

  async write(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<StoredBlob> {
    const { minBytes, uploadsAtOnce, blobStore } = this.settings;
    if (!this.objects || blobStore !== 's3') return this.chunks.write(bytes, maxBytes);
    const { all, isLonger } = await beginning(bytes, minBytes);
    // Each upload holds a part in memory for as long as its sender takes: more of them would grow without bounds.
    if (!isLonger || this.uploads >= uploadsAtOnce) return this.chunks.write(all, maxBytes);
    this.uploads++;
    try {
      return await this.writeObject(this.objects, all, maxBytes);
    } finally {
      this.uploads--;
    }
  }

  put(bytes: Uint8Array): Promise<StoredBlob> {
    return this.chunks.put(bytes);
  }

  undoing<T>(work: () => Promise<T>): Promise<T> {
    return this.chunks.undoing(work);
  }

  read(id: string, range?: ByteRange): Readable {
    return Readable.from(this.pieces(id, range), { objectMode: false, highWaterMark: chunkSize });
  }

  async readSmall(ids: string[]): Promise<Map<string, Buffer>> {
    const found = await this.chunks.readWhole(ids);
    const contents = new Map(found.map(({ id, data }) => [id, data]));
    const elsewhere = found.filter(({ objectId }) => objectId !== null);
    for (let at = 0; at < elsewhere.length; at += readAtOnce) {
      const group = elsewhere.slice(at, at + readAtOnce);
      const read = await Promise.all(group.map(async ({ id }) => [id, await this.whole(id)] as const));
      for (const [id, data] of read) contents.set(id, data);
    }
    return contents;
  }

  async served(
    { id, size }: Pick<StoredBlob, 'id' | 'size'>,
    headers: ServedContent['headers'],
  ): Promise<ServedContent> {
    const content = { size, etag: id, headers, read: (range?: ByteRange) => this.read(id, range) };
    const { minBytes, linkSeconds, s3 } = this.settings;
    if (!s3?.redirects || size <= minBytes) return content;
    const objectId = (await this.database.readImmutable((rows) => findBlob(rows, id)))?.objectId;
    // Without credentials the read says what is wrong.
    const location = objectId && (await this.objects?.link(objectId, headers, linkSeconds).catch(() => null));
    return location ? { ...content, location } : content;
  }

  private async whole(id: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(id, undefined)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** A blob that is moved while it is read is read on at the other place. */
  private async *pieces(id: string, range: ByteRange | undefined): AsyncGenerator<Buffer> {
    let blob = await this.database.readImmutable((rows) => findBlob(rows, id));
    if (!blob) throw new Error(`The blob ${id} is gone.`);
    const end = Math.min(range?.end ?? Number.POSITIVE_INFINITY, blob.size - 1);
    for (let at = range?.start ?? 0; at <= end; ) {
      try {
        for await (const piece of this.from(blob, { start: at, end })) {
          at += piece.length;
          yield piece;
        }
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error;
        const now = await findBlob(this.database.committedRows, id);
        if (!now || now.objectId === blob.objectId) throw error;
        blob = now;
      }
    }
  }

  private from(blob: BlobRow, range: ByteRange): AsyncIterable<Buffer> {
    const { objectId } = blob;
    if (objectId === null) return this.chunks.pieces(blob, range);
    if (this.objects) return this.objects.read({ ...blob, objectId }, range);
    const cause = new Error('This file is in S3, but S3_BUCKET is not set here.');
    throw new AppError('FILES_UNAVAILABLE', { cause });
  }

  private async writeObject(
    objects: ObjectStore,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<StoredBlob> {
    const sum = createHash('sha256');
    const { objectId, size } = await objects.upload(limited(bytes, maxBytes, sum));
    const blob = { id: newId(), hash: sum.digest('hex'), size, chunkSize, objectId };
    const { committedRows: rows } = this.database;
    for (let left = tries; left > 0; left--) {
      const known = await touchByHash(rows, blob.hash);
      // Its object stays loose.
      if (known) return { id: known, hash: blob.hash, size };
      const row = await adoptObject(rows, blob);
      if (row) {
        this.chunks.undoLater(row);
        return { id: row.id, hash: blob.hash, size };
      }
    }
    throw new Error(`The object ${objectId} was deleted while it was uploaded.`);
  }
}
