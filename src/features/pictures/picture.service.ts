import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../contract/actor.ts';
import { uploadIdIn } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import { type PictureRecord, type PictureSize, pictureNameIn, picturePathOf } from '../../contract/picture.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { AtOnce } from '../../infrastructure/at-once.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import type { EncodedPicture, PictureEncoder, PictureShape } from '../../infrastructure/picture-encoder.ts';
import { refusal } from '../../infrastructure/rate-limits.ts';
import { type ServedContent, uploadHeaders } from '../../infrastructure/served-content.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import { type BlobStore, fileTooLarge } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import {
  findPicture,
  findUpload,
  holdPicture,
  insertPicture,
  type PictureRow,
  sweepPictures,
} from './picture.table.ts';

/** An upload that was found to be a picture; it is not stored yet. */
export interface ReceivedPicture extends EncodedPicture {
  shape: PictureShape;
}

const nameBytes = 16;
/** How many uploads of one person are read at once; each is in memory. */
const perPerson = 2;
/** The same of everyone together. */
const perNode = 64;
/** For how long a picture that is deleted may still be served. */
const servedMs = 5 * 60_000;

interface Deps
  extends Pick<Context, 'database' | 'changes' | 'chores' | 'limits' | 'outgoing' | 'settings' | 'publicUrl'> {
  blobs: BlobStore;
  allowance: StorageAllowance;
  encoder: PictureEncoder;
}

/** Pictures of people, bots and servers: received, encoded anew, and served to everyone who has their address (contract §6). */
export class PictureService {
  private readonly deps: Deps;
  private readonly arriving = new AtOnce(perPerson);
  private readonly all = new AtOnce(perNode);
  /** What was served last, by address and size. */
  private readonly served: LRUCache<string, Buffer>;

  constructor(deps: Deps) {
    this.deps = deps;
    const { graceSeconds, cacheBytes } = deps.settings.pictures;
    const sizeCalculation = ({ length }: Buffer) => Math.max(length, 1);
    this.served = new LRUCache({ maxSize: cacheBytes, sizeCalculation, ttl: servedMs });
    deps.chores.add({ name: 'forget unused pictures', step: (rows) => sweepPictures(rows, graceSeconds) });
  }

  /**
   * Receives a picture and encodes it anew, before anything is changed: it may wait for others.
   * @param atLeast how many bytes there are, as far as that is known beforehand
   * @throws AppError BODY_TOO_LARGE, QUOTA_EXCEEDED, PICTURE_INVALID, RATE_LIMITED, SERVER_BUSY
   */
  async receive(
    actor: Actor,
    file: IncomingFile,
    shape: string | undefined,
    atLeast: number,
  ): Promise<ReceivedPicture> {
    const maxBytes = this.deps.settings.limits.pictureBytes;
    if (atLeast > maxBytes) throw fileTooLarge(maxBytes);
    // How many bytes it has is known once it was encoded; that there is no room for any is known now.
    await this.deps.allowance.requireRoomFor(actor, 1);
    return this.oneOfFew(actor, async () => {
      const bytes = await buffer(Readable.from(limited(file.bytes, maxBytes)));
      return this.encoded(bytes, shape === 'banner' || shape === 'emoji' ? shape : 'square');
    });
  }

  /** Bounds what is held in memory, and waits for the encoder. @throws AppError RATE_LIMITED, SERVER_BUSY */
  private async oneOfFew<T>({ userId }: Actor, work: () => Promise<T>): Promise<T> {
    if (!this.arriving.enter(userId)) {
      const message = `You are sending ${perPerson} pictures already; send them one after the other.`;
      throw new AppError('RATE_LIMITED', { message, retryAfter: 1 });
    }
    try {
      if (!this.all.enter('')) throw new AppError('SERVER_BUSY');
      return await work().finally(() => this.all.leave(''));
    } finally {
      this.arriving.leave(userId);
    }
  }

  /** Stores a received picture. @throws AppError QUOTA_EXCEEDED, VALIDATION_FAILED when its shape came after it */
  async add(actor: Actor, picture: ReceivedPicture, shape: PictureShape): Promise<PictureRecord> {
    if (shape !== picture.shape) {
      throw invalid([{ path: 'shape', message: 'must come before the file', code: 'custom' }]);
    }
    const { large, small, isAnimated } = picture;
    const name = randomBytes(nameBytes).toString('hex');
    return this.deps.changes.run(async (change) => {
      const rows: PictureRow[] = [];
      for (const [size, { bytes, width, height }] of [['large', large] as const, ['small', small] as const]) {
        const blob = await this.deps.blobs.put(bytes);
        const moves = isAnimated && size === 'large';
        const owned = { name, size, uploaderId: actor.userId, blobId: blob.id };
        rows.push({ ...owned, bytes: blob.size, width, height, isAnimated: moves });
      }
      await insertPicture(change.rows, rows);
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
      await this.deps.allowance.requireWithin(change.rows, { userId: actor.userId, bytes });
      return recordOf(name, picture);
    });
  }

  /**
   * What is kept where someone sets a picture: another address as it is; a file that the actor has uploaded for messages,
   * which only its readers could see, becomes a picture. An outside address is one that this site may fetch: no other one
   * would ever be shown.
   * @param field where it was given
   * @throws AppError VALIDATION_FAILED, ATTACHMENT_NOT_FOUND, PICTURE_INVALID, BODY_TOO_LARGE, QUOTA_EXCEEDED, SERVER_BUSY
   */
  async settled<U extends string | null | undefined>(
    actor: Actor,
    url: U,
    shape: PictureShape,
    field: 'avatarUrl' | 'iconUrl' | 'bannerUrl' | 'url',
  ): Promise<U | string> {
    const path = url ? this.pathOf(url) : '';
    const name = pictureNameIn(path);
    if (name !== undefined) {
      await holdPicture(this.deps.database.rows, name);
      return path;
    }
    if (path !== '' && !path.startsWith('/')) this.requireFetchable(path, field);
    const uploadId = path.startsWith('/') ? uploadIdIn(path) : undefined;
    if (uploadId === undefined) return url;
    const upload = await findUpload(this.deps.database.rows, actor.userId, uploadId);
    if (!upload) throw new AppError('ATTACHMENT_NOT_FOUND');
    const { pictureBytes } = this.deps.settings.limits;
    if (upload.size > pictureBytes) throw fileTooLarge(pictureBytes);
    const quota = await this.deps.limits.take('pictures', actor.userId);
    if (quota?.exceeded) throw refusal(quota);
    const picture = await this.oneOfFew(actor, async () =>
      this.encoded(await buffer(this.deps.blobs.read(upload.blobId)), shape),
    );
    const { url: lasting } = await this.add(actor, picture, shape);
    return lasting;
  }

  /** A picture by the last part of its address, for anyone. @throws AppError PICTURE_NOT_FOUND */
  async open(file: string, size: PictureSize): Promise<ServedContent> {
    const name = pictureNameIn(`/media/${file}`);
    const bytes = name === undefined ? undefined : await this.bytesOf(name, size);
    if (!bytes) throw new AppError('PICTURE_NOT_FOUND');
    return pictureContent(bytes, `${name}-${size}`, 'public, max-age=31536000, immutable');
  }

  private requireFetchable(address: string, path: string): void {
    const url = URL.parse(address);
    if (url && this.deps.outgoing.mayRequest(url)) return;
    throw invalid([{ path, message: 'must be a public https address', code: 'custom' }]);
  }

  /** An address on this site without the site. */
  private pathOf(url: string): string {
    const site = this.deps.publicUrl();
    return url.startsWith(`${site}/`) ? url.slice(site.length) : url;
  }

  private async bytesOf(name: string, size: PictureSize): Promise<Buffer | undefined> {
    const key = `${name} ${size}`;
    const known = this.served.get(key);
    if (known) return known;
    const row = await findPicture(this.deps.database.rows, name, size);
    const bytes = row && (await this.deps.blobs.readSmall([row.blobId])).get(row.blobId);
    if (bytes) this.served.set(key, bytes);
    return bytes;
  }

  private async encoded(bytes: Buffer, shape: PictureShape): Promise<ReceivedPicture> {
    return { ...(await this.deps.encoder.encode(bytes, shape)), shape };
  }
}

/** A picture as it is served: whoever opens it as a page gets one that can do nothing. */
export function pictureContent(bytes: Buffer, etag: string, keep: string): ServedContent {
  const headers = {
    ...uploadHeaders,
    'Content-Type': 'image/webp',
    'Content-Disposition': 'inline',
    'Cache-Control': keep,
  };
  return {
    size: bytes.length,
    etag,
    headers,
    read: (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes], { objectMode: false }),
  };
}

function recordOf(name: string, { large, small, isAnimated }: EncodedPicture): PictureRecord {
  const url = picturePathOf(name);
  const size = large.bytes.length + small.bytes.length;
  const { width, height } = large;
  return { url, smallUrl: `${url}?size=small`, contentType: 'image/webp', size, width, height, isAnimated };
}

async function* limited(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > maxBytes) throw fileTooLarge(maxBytes);
    // Its buffer is used again.
    yield Buffer.from(piece);
  }
}
