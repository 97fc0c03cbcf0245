import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { AppError } from '../../contract/errors.ts';
import type { PictureSize } from '../../contract/picture.ts';
import { networksOf } from '../../infrastructure/client-address.ts';
import type { PictureEncoder } from '../../infrastructure/picture-encoder.ts';
import { refusal } from '../../infrastructure/rate-limits.ts';
import type { ServedContent } from '../../infrastructure/served-content.ts';
import { SignedAddresses } from '../../infrastructure/signed-addresses.ts';
import { Slots } from '../../infrastructure/slots.ts';
import type { Context } from '../context.ts';
import { pictureContent } from './picture.service.ts';

/** Both sizes of a picture from elsewhere. */
interface Fetched {
  large: Buffer;
  small: Buffer;
  etag: string;
}

const maxRedirects = 3;
/** An address that failed is not asked again for this long. */
const failedMs = 5 * 60_000;
const maxFailed = 5000;
const maxWaiting = 200;
/** The formats that are decoded; nothing here says who wants the picture. */
const headers = {
  accept: 'image/webp,image/avif,image/png,image/jpeg,image/gif',
  'accept-encoding': 'identity',
  'user-agent': 'Parley-Pictures',
};

type Deps = Pick<Context, 'outgoing' | 'limits' | 'settings'> & { encoder: PictureEncoder };

/**
 * Pictures at outside addresses, fetched by this site in place of its members' browsers: their hosts learn nothing of who
 * looks at them. Only addresses that were signed here are fetched (contract §6).
 */
export class OutsidePictures {
  private readonly deps: Deps;
  private readonly addresses: SignedAddresses;
  private readonly fetched: LRUCache<string, Fetched>;
  private readonly failed = new LRUCache<string, ErrorCode>({ max: maxFailed, ttl: failedMs });
  private readonly underWay = new Map<string, Promise<Fetched>>();
  private readonly slots: Slots;
  private readonly closing = new AbortController();
  readonly counters = { hits: 0, fetched: 0, failed: 0 };

  constructor(deps: Deps) {
    this.deps = deps;
    const { outside } = deps.settings.pictures;
    this.addresses = new SignedAddresses(deps.settings.jwtSecrets);
    this.slots = new Slots(outside.concurrency, maxWaiting);
    this.fetched = new LRUCache({
      maxSize: outside.cacheBytes,
      sizeCalculation: ({ large, small }) => large.length + small.length,
      ttl: outside.cacheSeconds * 1000,
    });
  }

  /** The path of the same picture on this site; null: it is no web address. */
  link(url: string): string | null {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') return null;
    return `/media/outside/${this.addresses.sign(url)}?${new URLSearchParams({ url })}`;
  }

  /**
   * @param ip of the client; each may cause so many requests to elsewhere
   * @throws AppError PICTURE_NOT_FOUND for an address that was not signed, PICTURE_UNAVAILABLE, UNSAFE_URL, SERVER_BUSY,
   * RATE_LIMITED
   */
  async open(url: string, signature: string, size: PictureSize, ip: string): Promise<ServedContent> {
    if (!this.addresses.isSigned(url, signature)) throw new AppError('PICTURE_NOT_FOUND');
    const known = this.fetched.get(url);
    if (known) this.counters.hits++;
    const picture = known ?? (await this.coming(url, ip));
    const { cacheSeconds } = this.deps.settings.pictures.outside;
    return pictureContent(picture[size], `${picture.etag}-${size}`, `public, max-age=${cacheSeconds}`);
  }

  close(): void {
    this.closing.abort();
  }

  /** One request to elsewhere serves all who wait for it. */
  private coming(url: string, ip: string): Promise<Fetched> {
    const known = this.underWay.get(url);
    if (known) return known;
    const failed = this.failed.get(url);
    if (failed) throw new AppError(failed);
    const quota = this.deps.limits.takeHere('pictureFetches', networksOf(ip));
    if (quota?.exceeded) throw refusal(quota);
    const coming = this.slots.run(() => this.fetch(url)).finally(() => this.underWay.delete(url));
    this.underWay.set(url, coming);
    return coming;
  }

  private async fetch(url: string): Promise<Fetched> {
    try {
      const { large, small } = await this.deps.encoder.encode(await this.bytesAt(new URL(url)), 'whole');
      const [largeBytes, smallBytes] = [Buffer.from(large.bytes), Buffer.from(small.bytes)];
      const etag = createHash('sha256').update(largeBytes).digest('hex').slice(0, 32);
      const picture = { large: largeBytes, small: smallBytes, etag };
      this.counters.fetched++;
      this.fetched.set(url, picture);
      return picture;
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'SERVER_BUSY') {
        this.counters.failed++;
        this.failed.set(url, code);
      }
      throw new AppError(code, { cause: error });
    }
  }

  /** Follows redirects itself, so that each address is checked. */
  private async bytesAt(first: URL): Promise<Buffer> {
    const { timeoutMs } = this.deps.settings.pictures.outside;
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.closing.signal]);
    for (let url = first, hops = 0; hops <= maxRedirects; hops++) {
      const answer = await this.deps.outgoing.request(url, { method: 'GET', headers, signal });
      const { location } = answer.headers;
      const isRedirect = answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string';
      if (!isRedirect) return await this.read(answer);
      discard(answer);
      url = new URL(location, url);
    }
    throw new Error('There are too many redirects.');
  }

  private async read(answer: Dispatcher.ResponseData): Promise<Buffer> {
    const { pictureBytes } = this.deps.settings.limits;
    if (answer.statusCode !== 200 || Number(answer.headers['content-length'] ?? 0) > pictureBytes) {
      discard(answer);
      throw new Error(`It answered ${answer.statusCode}, or is too large.`);
    }
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of answer.body) {
      size += piece.length;
      if (size > pictureBytes) throw new Error('It is too large.');
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }
}

/** Its body does not matter, nor whether it ever ends. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {});
  body.destroy();
}

/** What the caller is told of why it failed. */
function codeOf(error: unknown): ErrorCode {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AppError && (at.code === 'UNSAFE_URL' || at.code === 'SERVER_BUSY')) return at.code;
  }
  return 'PICTURE_UNAVAILABLE';
}
