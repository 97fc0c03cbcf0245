import { type Duplex, type Readable, Transform } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import type { Networks } from '../../infrastructure/client-address.ts';
import type { Exchanged } from '../../infrastructure/exchange.ts';
import { IdleTimer } from '../../infrastructure/idle-timer.ts';
import type { Context } from '../context.ts';
import { urlsOfApps } from './app.table.ts';
import { isolation } from './isolation.ts';
import { locationIn, ProxyAddress } from './proxy-address.ts';
import {
  answerHeaders,
  cameRound,
  requestHeaders,
  webSocketAnswerHeaders,
  webSocketRequestHeaders,
} from './proxy-headers.ts';
import { ProxySlots, type Slot, type SlotLimits } from './proxy-slots.ts';

export interface ProxyLimits extends SlotLimits {
  /** For the head of an answer, and for silence in either direction. */
  timeoutMs: number;
  socketIdleMs: number;
  maxBytes: number;
}

/** A request to be proxied, as received. */
export interface ProxiedRequest {
  method: string;
  rest: string;
  search: string;
  headers: NodeJS.Dict<string | string[]>;
  body: Readable;
  /** The caller's. */
  address: Networks;
}

export interface ProxiedAnswer {
  status: number;
  headers: Record<string, string | string[] | null>;
  body: Readable;
}

/** A WebSocket of an app: its answer to the handshake, and the connection if it accepted. */
export interface ProxiedSocket extends ProxiedAnswer {
  upgraded: { socket: Duplex; head: Buffer } | null;
  /** Aborts when the app is no longer to be reached. */
  signal: AbortSignal;
}

/** How long a caller may hold an answer without reading it, as a multiple of the limit for a silent app. */
const callersPatience = 4;
/** How often the apps with requests or WebSockets in progress are looked up. */
const watchMs = 2000;

interface Deps extends Pick<Context, 'database' | 'outgoing' | 'settings'> {
  limits: ProxyLimits;
}

/** Proxies requests and WebSockets to the addresses of apps of type `url`, for anyone (contract §8). */
export class AppProxy {
  private readonly deps: Deps;
  private readonly slots: ProxySlots;
  private readonly watching: NodeJS.Timeout;

  constructor(deps: Deps) {
    this.deps = deps;
    this.slots = new ProxySlots(deps.limits, deps.settings.limits.ipv6SiteFactor);
    this.watching = setInterval(() => void this.endLost().catch(() => {}), watchMs).unref();
  }

  /**
   * @param signal aborts when the caller disconnects, and so aborts the request to the app
   * @throws AppError APP_NOT_FOUND, UNSAFE_URL, BODY_TOO_LARGE, APP_PROXY_FAILED, APP_PROXY_TIMEOUT, SERVER_BUSY
   */
  async pass(appId: string, given: ProxiedRequest, signal: AbortSignal): Promise<ProxiedAnswer> {
    if (Number(given.headers['content-length']) > this.deps.limits.maxBytes) throw new AppError('BODY_TOO_LARGE');
    const { address, slot } = await this.enter(appId, given, signal);
    const idle = new IdleTimer(this.deps.limits.timeoutMs);
    signal.addEventListener('abort', () => idle.stop(), { once: true });
    const target = address.target(given.rest, given.search);
    try {
      const passed = await this.deps.outgoing.pass(target, {
        method: given.method,
        headers: { ...requestHeaders(given.headers, appId), ...framing(given), host: target.host },
        body: hasBody(given) ? this.limited(given.body, () => new AppError('BODY_TOO_LARGE'), idle) : null,
        signal: AbortSignal.any([signal, slot.signal, idle.signal]),
      });
      if (passed.upgraded) throw failed('The app changed the protocol, which nobody had asked for.', passed);
      slot.endless = /^text\/event-stream\b/i.test(passed.answer.headers['content-type'] ?? '');
      const head = await this.headOf(address, target, passed);
      return { ...head, body: this.limited(passed.answer, tooLarge, idle, true) };
    } catch (error) {
      throw idle.signal.aborted ? new AppError('APP_PROXY_TIMEOUT', { cause: error }) : asProxyError(error);
    }
  }

  /**
   * Opens a WebSocket; both of its ends are the caller's to connect and to close.
   * @param signal aborts when the caller disconnects
   * @throws AppError as `pass`
   */
  async open(
    appId: string,
    given: Pick<ProxiedRequest, 'rest' | 'search' | 'headers' | 'address'>,
    signal: AbortSignal,
  ): Promise<ProxiedSocket> {
    const { address, slot } = await this.enter(appId, given, signal);
    slot.endless = true;
    const target = address.target(given.rest, given.search);
    const late = new IdleTimer(this.deps.limits.timeoutMs);
    signal.addEventListener('abort', () => late.stop(), { once: true });
    const ended = AbortSignal.any([signal, slot.signal]);
    try {
      const headers = { ...webSocketRequestHeaders(given.headers, appId), host: target.host };
      const request = { method: 'GET', headers, body: null, signal: AbortSignal.any([ended, late.signal]) };
      const passed = await this.deps.outgoing.pass(target, request);
      const { answer, upgraded } = passed;
      const head = await this.headOf(address, target, passed);
      if (!upgraded) {
        return { ...head, body: this.limited(answer, tooLarge, late, true), upgraded, signal: ended };
      }
      late.stop();
      return { ...head, headers: webSocketAnswerHeaders(answer.headers), body: answer, upgraded, signal: ended };
    } catch (error) {
      throw late.signal.aborted ? new AppError('APP_PROXY_TIMEOUT', { cause: error }) : asProxyError(error);
    }
  }

  /** How long a WebSocket may be silent, in milliseconds. */
  get socketIdleMs(): number {
    return this.deps.limits.socketIdleMs;
  }

  /** Ends WebSockets and event streams, which could last forever. */
  drain(): void {
    clearInterval(this.watching);
    this.slots.end(({ endless }) => endless);
  }

  /** Takes a slot for a request; the abort of the signal releases it. */
  private async enter(
    appId: string,
    given: Pick<ProxiedRequest, 'headers' | 'address'>,
    signal: AbortSignal,
  ): Promise<{ address: ProxyAddress; slot: Slot }> {
    const url = (await urlsOfApps(this.deps.database.rows, [appId])).get(appId);
    if (url === undefined) throw new AppError('APP_NOT_FOUND');
    // One request would go round in a loop until all slots are taken.
    if (cameRound(given.headers, appId)) throw failed('The address of the app leads back to it.');
    // A caller that is already gone would never release its slot.
    if (signal.aborted) throw new AppError('APP_PROXY_FAILED');
    const slot = this.slots.enter(appId, url, given.address);
    signal.addEventListener('abort', slot.leave, { once: true });
    return { address: new ProxyAddress(appId, new URL(url)), slot };
  }

  /** Ends requests and WebSockets to apps that are gone or have a new address. */
  private async endLost(): Promise<void> {
    const ids = this.slots.appIds;
    if (ids.length === 0) return;
    const urls = await urlsOfApps(this.deps.database.rows, ids);
    // Apps with a first request meanwhile were not looked up.
    this.slots.end(({ appId, url }) => ids.includes(appId) && urls.get(appId) !== url);
  }

  private async headOf(
    address: ProxyAddress,
    target: URL,
    { answer, upgraded }: Exchanged,
  ): Promise<Pick<ProxiedAnswer, 'status' | 'headers'>> {
    // Until someone reads the body, its errors have no handler.
    answer.on('error', () => {});
    const headers: ProxiedAnswer['headers'] = { ...answerHeaders(answer.headers), ...isolation };
    const { location } = answer.headers;
    try {
      if (Number(answer.headers['content-length']) > this.deps.limits.maxBytes) throw tooLarge();
      if (location !== undefined) headers.location = await this.locationOf(address, target, location);
    } catch (error) {
      (upgraded?.socket ?? answer).destroy();
      throw error;
    }
    return { status: answer.statusCode ?? 502, headers };
  }

  /** Redirects on the app's own host stay behind this address; others lead out, but never to private hosts. */
  private async locationOf(address: ProxyAddress, target: URL, location: string): Promise<string> {
    const url = locationIn(location, target);
    if (!url) throw new AppError('APP_PROXY_FAILED');
    const here = address.of(url);
    if (here !== undefined) return here;
    await this.deps.outgoing.check(url);
    return url.href;
  }

  /**
   * The same bytes, up to the limit; each piece that passes resets the idle timer.
   * @param isOurs whether the source is closed when nobody wants more; the caller's connection is not: the rest of its body
   * is read after the response
   */
  private limited(source: Readable, error: () => AppError, idle: IdleTimer, isOurs = false): Readable {
    let size = 0;
    const { maxBytes } = this.deps.limits;
    const limit = new Transform({
      transform(piece: Buffer, _, done) {
        size += piece.length;
        idle.touch();
        if (size > maxBytes) done(error());
        else done(null, piece);
      },
    });
    // An answer buffered here waits for the caller to read.
    if (isOurs) idle.excuse(() => limit.readableLength > 0, callersPatience);
    source.once('error', (cause) => limit.destroy(cause));
    limit.once('close', () => {
      source.unpipe(limit);
      if (isOurs) source.destroy();
    });
    return source.pipe(limit);
  }
}

function hasBody({ headers }: Pick<ProxiedRequest, 'headers'>): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** How the body is framed, for methods that Node expects none of. */
function framing({ headers }: Pick<ProxiedRequest, 'headers'>): Record<string, string> {
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
}

function failed(message: string, passed?: Exchanged): AppError {
  passed?.upgraded?.socket.destroy();
  return new AppError('APP_PROXY_FAILED', { message });
}

const tooLarge = () => failed('The answer of the app is too large.');

function asProxyError(error: unknown): AppError {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AppError) return at;
  }
  return new AppError('APP_PROXY_FAILED', { cause: error });
}
