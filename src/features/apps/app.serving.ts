import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../contract/errors.ts';
import { isUuid } from '../../contract/schema.ts';
import { atMost } from '../../infrastructure/cache.ts';
import { mediaTypeOf, withCharset } from '../../infrastructure/media-types.ts';
import type { ServedContent } from '../../infrastructure/served-content.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { Context } from '../context.ts';
import { type FoundFile, findFiles } from './app.table.ts';
import { isolation } from './isolation.ts';
import type { ViewCounter } from './view-counter.ts';

/** How many bytes of a page are looked at, as browsers do (HTML, "prescan a byte stream"). */
const charsetWithin = 1024;

const marks: [Buffer, string][] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** The character set that a page itself names, by its first bytes or in a `meta` element; UTF-8 where it names none. */
function charsetOf(head: Buffer): string {
  const marked = marks.find(([mark]) => head.subarray(0, mark.length).equals(mark));
  if (marked) return marked[1];
  const text = head.toString('latin1').replace(/<!--.*?(-->|$)/gs, '');
  const named = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(text)?.[1]?.toLowerCase() ?? 'utf-8';
  // A page whose `meta` is readable as ASCII is not in UTF-16.
  return named.startsWith('utf-16') ? 'utf-8' : named;
}

/** What an app's address leads to: a file, or another address. */
export type Served =
  | { content: ServedContent; viewed(): void }
  /** `status` 301 for folders, which get a trailing slash; 302 to the current address. */
  | { location: string; status: 301 | 302 };

interface Deps extends Pick<Context, 'database'> {
  blobs: BlobStore;
  views: ViewCounter;
}

/** Serves the files of active apps to anyone (contract §8). */
export class AppServing {
  private readonly deps: Deps;
  /** By the id of a page's bytes, which never change. */
  private readonly charsets = new LRUCache<string, string>(atMost(10_000));

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @param address the request's path, and the app's part of it: with its leading slash, still encoded
   * @throws AppError APP_NOT_FOUND, APP_FILE_NOT_FOUND
   */
  async at(
    serverIdOrSlug: string,
    appIdOrSlug: string,
    address: { path: string; rest: string; search: string },
  ): Promise<Served> {
    const path = decoded(address.rest.slice(1));
    const isFolder = path === '' || path.endsWith('/');
    const wanted = isFolder ? `${path}index.html` : path;
    // Composed, as all are stored now, or decomposed, as macOS names were stored before.
    const files = [...new Set([wanted, wanted.normalize('NFC'), wanted.normalize('NFD')])];
    const folders = files.map((path) => `${path}/index.html`);
    const found = await this.find(serverIdOrSlug, appIdOrSlug, [...files, ...folders]);
    const [app] = found;
    if (!app) throw new AppError('APP_NOT_FOUND');
    const withSlash: Served = { location: `${address.path}/${address.search}`, status: 301 };
    if (address.rest === '') return withSlash;
    if (app.type === 'url') {
      return { location: `/api/app-proxy/${app.appId}${address.rest}${address.search}`, status: 302 };
    }
    const file = found.find(({ path }) => path !== null && files.includes(path));
    if (file?.blobId) return this.content({ ...file, path: wanted, blobId: file.blobId });
    if (!isFolder && found.some((one) => one.path !== null)) return withSlash;
    throw new AppError('APP_FILE_NOT_FOUND');
  }

  private find(server: string, app: string, paths: string[]): Promise<FoundFile[]> {
    return findFiles(this.deps.database.rows, named(server), named(app), paths);
  }

  private async content(file: FoundFile & { path: string; blobId: string }): Promise<Served> {
    const { appId, path, blobId, size } = file;
    const type = mediaTypeOf(path) ?? 'application/octet-stream';
    // The page of an app without files was received as JSON text.
    const isOwn = type === 'text/html' && file.type === 'zip';
    const charset = isOwn ? await this.charset(blobId, size) : null;
    return {
      content: {
        size,
        etag: blobId,
        headers: {
          ...isolation,
          'Content-Type': charset ? `${type}; charset=${charset}` : withCharset(type),
          'Cache-Control': 'no-cache',
        },
        read: (range) => this.deps.blobs.read(blobId, range),
      },
      viewed: () => {
        if (type === 'text/html') this.deps.views.count(appId);
      },
    };
  }

  private async charset(blobId: string, size: number): Promise<string> {
    const known = this.charsets.get(blobId);
    if (known) return known;
    const head =
      size > 0 ? await buffer(this.deps.blobs.read(blobId, { start: 0, end: Math.min(size, charsetWithin) - 1 })) : '';
    const charset = charsetOf(Buffer.from(head));
    this.charsets.set(blobId, charset);
    return charset;
  }
}

const named = (idOrSlug: string) => (isUuid(idOrSlug) ? { id: idOrSlug, slug: null } : { id: null, slug: idOrSlug });

/** Decoded once: a path encoded twice is a file name with a `%` in it. */
function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    if (!text.includes('\0')) return text;
  } catch {
    // Invalid UTF-8 is no file name either.
  }
  throw new AppError('APP_FILE_NOT_FOUND');
}
