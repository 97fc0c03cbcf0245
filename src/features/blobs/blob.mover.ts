import { createHash } from 'node:crypto';
import { NIL } from 'uuid';
import { AppError } from '../../contract/errors.ts';
import { advisoryLocks, tryLock } from '../../database/advisory-locks.ts';
import type { Database } from '../../database/database.ts';
import { isForeignKeyViolation } from '../../database/failures.ts';
import type { StoreMeter } from '../../infrastructure/s3/meter.ts';
import { DatabaseBlobStore } from './blob.store.ts';
import type { BlobRow } from './blob.table.ts';
import { BytesMissing, type ObjectStore, WrongBytes } from './object.store.ts';
import { deleteChunks, type MovableRow, moveToChunks, moveToObject, pageOfBlobs } from './object.table.ts';

export type BlobPlace = 'database' | 's3';

/** What a run has done so far. */
export interface MoveReport {
  moved: number;
  bytes: number;
  /** Those that are there already, or are small enough to stay. */
  stayed: number;
  /** Those that could not be moved, and why. They are where they were. */
  failed: { id: string; reason: string }[];
}

const pageSize = 100;
/** Files that are moved at once: most are small, and the bucket is far away. */
const atOnce = 4;
/** Chunks deleted with one statement. */
const chunksAtOnce = 500;

/**
 * Moves files between the database and the bucket while nodes run. Each is copied, compared with its hash at the other place,
 * and only then said to be there; a node that is just reading it goes on at the other place. A run that was cut off leaves
 * every file in one piece, and the next one goes on.
 */
export class BlobMover {
  private readonly database: Database;
  private readonly objects: ObjectStore | null;
  private readonly chunks: DatabaseBlobStore;
  private readonly minBytes: number;

  constructor(database: Database, objects: ObjectStore | null, { minBytes }: { minBytes: number }, meter: StoreMeter) {
    this.database = database;
    this.objects = objects;
    this.minBytes = minBytes;
    this.chunks = new DatabaseBlobStore(database, meter);
  }

  /**
   * Moves all files. @param tell gets what was done, after each page
   * @returns undefined: another run is at it
   * @throws AppError FILES_UNAVAILABLE; Error without a bucket
   */
  async move(to: BlobPlace, tell: (report: MoveReport) => void): Promise<MoveReport | undefined> {
    const objects = this.objects;
    if (!objects) throw new AppError('FILES_UNAVAILABLE', { message: 'There is no bucket; set S3_BUCKET.' });
    // Held for as long as the run takes.
    return this.database.longTransaction(
      async (rows) => {
        if (!(await tryLock(rows, advisoryLocks.movingBlobs))) return undefined;
        return this.moveAll(objects, to, tell);
      },
      { snapshot: false },
    );
  }

  private async moveAll(objects: ObjectStore, to: BlobPlace, tell: (report: MoveReport) => void): Promise<MoveReport> {
    const report: MoveReport = { moved: 0, bytes: 0, stayed: 0, failed: [] };
    for (let after: string = NIL; ; ) {
      const page = await pageOfBlobs(this.database.committedRows, after, pageSize);
      for (let at = 0; at < page.length; at += atOnce) {
        // All of them end before the run does, whatever happens to one.
        const group = page.slice(at, at + atOnce).map((blob) => this.settle(objects, blob, to, report));
        const broken = (await Promise.allSettled(group)).find((outcome) => outcome.status === 'rejected');
        if (broken) throw broken.reason;
      }
      tell(report);
      const last = page.at(-1);
      if (!last) return report;
      after = last.id;
    }
  }

  /** @throws what is wrong with a store, not with the file */
  private async settle(objects: ObjectStore, blob: MovableRow, to: BlobPlace, report: MoveReport): Promise<void> {
    const { id, objectId, size } = blob;
    try {
      if (to === 's3' && objectId === null && size > this.minBytes) await this.toBucket(objects, blob);
      else if (to === 'database' && objectId !== null) await this.toChunks(objects, { ...blob, objectId });
      else {
        // A run was cut off after it had moved this one.
        if (objectId !== null && blob.hasChunks) await this.dropChunks(id);
        report.stayed++;
        return;
      }
      report.moved++;
      report.bytes += size;
    } catch (error) {
      if (!(error instanceof WrongBytes || error instanceof BytesMissing)) throw error;
      report.failed.push({ id, reason: error.message });
    }
  }

  private async toBucket(objects: ObjectStore, blob: BlobRow): Promise<void> {
    const whole = { start: 0, end: blob.size - 1 };
    const { objectId } = await objects.upload(compared(blob, this.chunks.pieces(blob, whole)));
    await consume(objects.read({ ...blob, objectId }, whole));
    const isMoved = await this.database.quickTransaction((rows) => moveToObject(rows, blob.id, objectId));
    if (isMoved) await this.dropChunks(blob.id);
  }

  private async toChunks(objects: ObjectStore, blob: BlobRow & { objectId: string }): Promise<void> {
    // What an earlier run left behind.
    await this.dropChunks(blob.id);
    try {
      await this.chunks.writeChunks(blob.id, objects.read(blob, { start: 0, end: blob.size - 1 }));
    } catch (error) {
      // It was deleted meanwhile.
      if (isForeignKeyViolation(error)) return;
      await this.dropChunks(blob.id);
      throw error;
    }
    await moveToChunks(this.database.committedRows, blob.id, blob.objectId);
  }

  private async dropChunks(id: string): Promise<void> {
    while ((await deleteChunks(this.database.committedRows, id, chunksAtOnce)) === chunksAtOnce);
  }
}

/** The pieces of a blob. @throws WrongBytes at their end if they are not what was stored */
async function* compared({ id, hash }: BlobRow, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const sum = createHash('sha256');
  for await (const piece of pieces) {
    sum.update(piece);
    yield piece;
  }
  if (sum.digest('hex') !== hash) throw new WrongBytes(`The file ${id} has other bytes than were stored.`);
}

/** Reads a whole object, which compares it with its hash. */
async function consume(pieces: AsyncIterable<Buffer>): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  while (!(await iterator.next()).done);
}
