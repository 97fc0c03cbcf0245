import { type Readable, Transform } from 'node:stream';
import { errors as undiciErrors } from 'undici';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Outgoing } from '../infrastructure/outgoing.ts';
import { isolation } from './isolation.ts';
import { answerHeaders, cameRound, requestHeaders } from './proxy-headers.ts';

export interface ProxyLimits {
  timeoutMs: number;
  maxBytes: number;
  concurrency: number;
}

/** A request to be proxied, as it came. */
export interface ProxiedRequest {
  method: string;
  rest: string;
  search: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
}

export interface ProxiedAnswer {
  status: number;
  headers: Record<string, string | string[] | null>;
  body: Readable;
}

/** Proxies requests to the addresses of apps of type `url`, for anyone (contract §8). */
export class AppProxy {
  private readonly database: Database;
  private readonly outgoing: Outgoing;
  private readonly limits: ProxyLimits;
  private running = 0;

  constructor(parts: { database: Database; outgoing: Outgoing; limits: ProxyLimits }) {
    this.database = parts.database;
    this.outgoing = parts.outgoing;
    this.limits = parts.limits;
  }

  /**
   * @param signal aborts when the caller disconnects, and so aborts the request to the app
   * @throws AppError APP_NOT_FOUND, UNSAFE_URL, BODY_TOO_LARGE, APP_PROXY_FAILED, APP_PROXY_TIMEOUT, SERVER_BUSY
   */
  async pass(appId: string, given: ProxiedRequest, signal: AbortSignal): Promise<ProxiedAnswer> {
    const base = await this.baseOf(appId);
    // One request would go round in a loop until all slots are taken.
    if (cameRound(given.headers, appId)) throw failed('The address of the app leads back to it.');
    if (Number(given.headers['content-length']) > this.limits.maxBytes) throw new AppError('BODY_TOO_LARGE');
    if (this.running >= this.limits.concurrency) throw new AppError('SERVER_BUSY');
    // A caller that is already gone would never release its slot.
    if (signal.aborted) throw new AppError('APP_PROXY_FAILED');
    this.running++;
    signal.addEventListener('abort', () => this.running--, { once: true });
    const target = targetOf(base, given.rest, given.search);
    const timeout = AbortSignal.timeout(this.limits.timeoutMs);
    try {
      const answer = await this.outgoing.request(target, {
        method: given.method,
        headers: requestHeaders(given.headers, appId),
        body: hasBody(given) ? this.limited(given.body, () => new AppError('BODY_TOO_LARGE')) : null,
        signal: AbortSignal.any([signal, timeout]),
      });
      return await this.answerOf(appId, base, target, answer);
    } catch (error) {
      throw timeout.aborted ? new AppError('APP_PROXY_TIMEOUT', { cause: error }) : asProxyError(error);
    }
  }

  private async baseOf(appId: string): Promise<URL> {
    const [app] = await this.database.rows<{ url: string }>(
      "SELECT url FROM apps WHERE id = $1 AND type = 'url' AND status = 'active' AND url IS NOT NULL",
      [appId],
    );
    if (!app) throw new AppError('APP_NOT_FOUND');
    return new URL(app.url);
  }

  private async answerOf(
    appId: string,
    base: URL,
    target: URL,
    answer: Awaited<ReturnType<Outgoing['request']>>,
  ): Promise<ProxiedAnswer> {
    // Until someone reads the body, its errors have no handler.
    answer.body.on('error', () => {});
    const headers: ProxiedAnswer['headers'] = { ...answerHeaders(answer.headers), ...isolation };
    const location = answer.headers.location;
    try {
      if (Number(answer.headers['content-length']) > this.limits.maxBytes) throw tooLarge();
      if (typeof location === 'string') headers.location = await this.locationOf(appId, base, target, location);
    } catch (error) {
      answer.body.destroy();
      throw error;
    }
    return { status: answer.statusCode, headers, body: this.limited(answer.body, tooLarge) };
  }

  /** Redirects on the app's own host stay behind this address; others lead out, but never to private hosts. */
  private async locationOf(appId: string, base: URL, target: URL, location: string): Promise<string> {
    if (!URL.canParse(location, target.href)) throw new AppError('APP_PROXY_FAILED');
    const url = new URL(location, target);
    if (url.origin === base.origin) {
      return `/api/app-proxy/${appId}${restOf(base, url.pathname)}${url.search}${url.hash}`;
    }
    await this.outgoing.check(url);
    return url.href;
  }

  private limited(source: Readable, error: () => AppError): Readable {
    let size = 0;
    const { maxBytes } = this.limits;
    const limit = new Transform({
      transform(piece: Buffer, _, done) {
        size += piece.length;
        if (size > maxBytes) done(error());
        else done(null, piece);
      },
    });
    source.once('error', (cause) => limit.destroy(cause));
    limit.once('close', () => {
      // The caller's connection is not ours to close: the rest of its body is read after the response.
      source.unpipe(limit);
      if (!('headers' in source)) source.destroy();
    });
    return source.pipe(limit);
  }
}

/** The folder that an app's paths are in. For a single page it is the page's, to which its links are relative. */
function folderOf(base: URL): string {
  return base.pathname.replace(/\/([^/]*\.html?)?$/i, '');
}

/** The path here for a path on the app's host: relative to the folder, or the whole path after an extra slash. */
function restOf(base: URL, path: string): string {
  const folder = folderOf(base);
  const below = path.slice(folder.length);
  return `${path}/`.startsWith(`${folder}/`) && !below.startsWith('//') ? below : `/${path}`;
}

/**
 * The app's address with the rest of the requested path appended, or, if that begins with two slashes, resolved from the
 * root of the app's host; it never leaves that host.
 */
function targetOf(base: URL, rest: string, search: string): URL {
  const target = new URL(base);
  if (rest !== '' && rest !== '/') target.pathname = rest.startsWith('//') ? rest.slice(1) : `${folderOf(base)}${rest}`;
  if (search) target.search = search;
  target.hash = '';
  return target;
}

function hasBody({ headers }: ProxiedRequest): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

const failed = (message: string) => new AppError('APP_PROXY_FAILED', { message });
const tooLarge = () => failed('The answer of the app is too large.');

function asProxyError(error: unknown): AppError {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AppError) return at;
    if (at instanceof undiciErrors.HeadersTimeoutError || at instanceof undiciErrors.BodyTimeoutError) {
      return new AppError('APP_PROXY_TIMEOUT', { cause: error });
    }
  }
  return new AppError('APP_PROXY_FAILED', { cause: error });
}
