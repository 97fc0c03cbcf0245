import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { S3Client } from '../../infrastructure/s3/s3-client.ts';
import { S3Error } from '../../infrastructure/s3/s3-error.ts';
import type { ByteRange } from '../../infrastructure/served-content.ts';
import type { BlobRow } from './blob.table.ts';
import { claimLoose, forgetLoose, insertLoose, type LooseRow, touchLoose } from './object.table.ts';
import { inParts } from './pieces.ts';

/** The bytes of a blob are not where its row said; they may have been moved meanwhile. */
export class BytesMissing extends Error {}

/** A file has other bytes than its hash says. */
export class WrongBytes extends Error {}

/** A blob whose bytes an object holds. */
type ObjectBlob = Pick<BlobRow, 'id' | 'hash' | 'size'> & { objectId: string };

/** Objects are deleted in groups, each at once. */
const groupSize = 10;
const claimedAtOnce = 100;
const folder = 'blobs/';
const keyOf = (objectId: string) => `${folder}${objectId}`;

/**
 * Bytes of files as objects of a bucket. An object is remembered as loose before anything of it is uploaded, until a blob
 * refers to it, and again from the moment when its blob is deleted: so whatever breaks off, the collector finds it.
 */
export class ObjectStore {
  readonly client: S3Client;
  private readonly partBytes: number;
  private readonly rows: Rows;
  private readonly log: Log;

  /** @param rows outside of any transaction */
  constructor(client: S3Client, { partBytes }: { partBytes: number }, rows: Rows, log: Log) {
    this.client = client;
    this.partBytes = partBytes;
    this.rows = rows;
    this.log = log;
  }

  /**
   * Uploads an object as its bytes arrive; at most one part of it is in memory. It is loose until a blob refers to it.
   * @throws AppError FILES_UNAVAILABLE; what was uploaded is deleted then
   */
  async upload(bytes: AsyncIterable<Uint8Array>): Promise<{ objectId: string; size: number }> {
    const objectId = newId();
    const key = keyOf(objectId);
    await insertLoose(this.rows, objectId);
    let uploadId: string | null = null;
    let size = 0;
    try {
      const tags: string[] = [];
      for await (const { body, hash, isLast } of inParts(bytes, this.partBytes)) {
        size += body.length;
        if (isLast && uploadId === null) await this.client.put(key, body, hash);
        else {
          uploadId ??= await this.client.begin(key);
          await this.keep(objectId, uploadId);
          tags.push(await this.client.putPart(key, uploadId, { number: tags.length + 1, body, hash }));
        }
      }
      if (uploadId !== null) await this.client.complete(key, uploadId, tags, size);
      return { objectId, size };
    } catch (error) {
      // Not awaited, for S3 may be away; the collector does it again.
      if (uploadId !== null) this.client.abort(key, uploadId).catch(() => {});
      throw asUnavailable(error);
    }
  }

  /**
   * The bytes of an object as they are consumed. Those of a whole one are compared with the blob's hash before the last of
   * them are given out.
   * @throws BytesMissing; WrongBytes; AppError FILES_UNAVAILABLE
   */
  async *read({ id, hash, size, objectId }: ObjectBlob, range: ByteRange): AsyncGenerator<Buffer> {
    const isWhole = range.start === 0 && range.end === size - 1;
    const sum = createHash('sha256');
    let held: Buffer | undefined;
    try {
      for await (const piece of this.client.read(keyOf(objectId), range)) {
        if (held) yield held;
        if (isWhole) sum.update(piece);
        held = piece;
      }
    } catch (error) {
      if (error instanceof S3Error && error.isMissing) throw new BytesMissing(`The object ${objectId} is gone.`);
      throw asUnavailable(error);
    }
    if (isWhole && sum.digest('hex') !== hash) {
      this.log.error({ blobId: id, objectId }, 'An object in S3 has other bytes than were stored.');
      throw new WrongBytes(`The object ${objectId} has other bytes than were stored.`);
    }
    if (held) yield held;
  }

  /** The address by which anyone may get it for some seconds. */
  link(objectId: string, headers: Record<string, string | null>, seconds: number): Promise<string> {
    const wished = {
      contentType: headers['Content-Type'] ?? 'application/octet-stream',
      disposition: headers['Content-Disposition'] ?? 'attachment',
      cacheControl: headers['Cache-Control'] ?? 'private, no-store',
    };
    return this.client.link(keyOf(objectId), wished, seconds);
  }

  /** Deletes the objects that were loose for the whole grace period, and uploads that came to no end. @returns how many */
  async collect(graceSeconds: number): Promise<number> {
    for (let removed = 0; ; ) {
      const claimed = await claimLoose(this.rows, graceSeconds, claimedAtOnce);
      let count = 0;
      for (let at = 0; at < claimed.length; at += groupSize) {
        const group = claimed.slice(at, at + groupSize);
        const gone = await Promise.all(group.map((loose) => this.remove(loose)));
        count += gone.filter(Boolean).length;
      }
      removed += count;
      if (count === 0 || claimed.length < claimedAtOnce) return removed;
    }
  }

  /** The ids of all objects with their sizes, in pages. */
  async *listed(): AsyncGenerator<{ id: string; size: number; changedAt: Date }[]> {
    for await (const page of this.client.list()) {
      yield page
        .filter(({ key }) => key.startsWith(folder))
        .map(({ key, ...rest }) => ({ id: key.slice(folder.length), ...rest }));
    }
  }

  /** The size of an object. @returns null: it is not there. @throws AppError FILES_UNAVAILABLE */
  async sizeOf(objectId: string): Promise<number | null> {
    return this.client.size(keyOf(objectId)).catch((error) => {
      if (error instanceof S3Error && error.isMissing) return null;
      throw asUnavailable(error);
    });
  }

  /** Writes a small object of its own, to see whether the bucket takes any. @throws S3Error */
  async probe(): Promise<void> {
    const body = Buffer.from('Parley can write here.\n');
    await this.client.put('probe', body, createHash('sha256').update(body).digest('hex'));
  }

  /** The upload goes on: the collector leaves it alone. */
  private async keep(objectId: string, uploadId: string): Promise<void> {
    if (await touchLoose(this.rows, objectId, uploadId)) return;
    throw new Error(`The object ${objectId} was deleted while it was uploaded.`);
  }

  /** @returns false: not now. @throws S3Error while S3 is away */
  private async remove({ id, uploadId }: LooseRow): Promise<boolean> {
    try {
      if (uploadId !== null) await this.client.abort(keyOf(id), uploadId);
      await this.client.remove(keyOf(id));
      await forgetLoose(this.rows, id);
      return true;
    } catch (error) {
      if (!(error instanceof S3Error) || error.mayPass) throw error;
      this.log.error({ err: error, objectId: id }, 'An unused object in S3 cannot be deleted.');
      return false;
    }
  }
}

function asUnavailable(error: unknown): unknown {
  return error instanceof S3Error ? new AppError('FILES_UNAVAILABLE', { cause: error }) : error;
}
