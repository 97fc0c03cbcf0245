import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { clock } from './clock.ts';

/** A request that is passed on unchanged. */
export interface ExchangeRequest {
  method: string;
  headers: OutgoingHttpHeaders;
  body: Readable | null;
  signal: AbortSignal;
}

/** The head of an answer; its body is still to be read. */
export interface Exchanged {
  answer: IncomingMessage;
  /** The connection, if it was handed over (101), and the bytes already received on it. */
  upgraded: { socket: Duplex; head: Buffer } | null;
}

const keepAlive = { keepAlive: true, maxFreeSockets: 64, timeout: 10_000 };

/**
 * Sends requests as a proxy does: with Node's own client, which passes upgrades on and skips answers that are none yet
 * (100 Continue, 103 Early Hints), requested or not. The caller sets timeouts, by the signal.
 */
export class Exchange {
  private readonly agents = { 'http:': new HttpAgent(keepAlive), 'https:': new HttpsAgent(keepAlive) };

  /** @param lookup resolves the host of the address, or refuses to */
  async send(url: URL, given: ExchangeRequest, lookup: LookupFunction): Promise<Exchanged> {
    // A kept connection may end just as it is used again: it is only for requests that can be sent twice.
    if (given.body || !isSafe(given.method)) return sendOnce(url, given, lookup, false);
    try {
      return await sendOnce(url, given, lookup, this.agents[url.protocol === 'https:' ? 'https:' : 'http:']);
    } catch (error) {
      if (!(error instanceof StaleConnection) || given.signal.aborted) throw error;
      return sendOnce(url, given, lookup, false);
    }
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }
}

class StaleConnection extends Error {}

const isSafe = (method: string) => ['GET', 'HEAD', 'OPTIONS'].includes(method);

function sendOnce(
  url: URL,
  { method, headers, body, signal }: ExchangeRequest,
  lookup: LookupFunction,
  agent: HttpAgent | false,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { agent, lookup, method, headers, signal });
    request.once('response', (answer) => resolve({ answer, upgraded: null }));
    request.once('upgrade', (answer, socket, head) => resolve({ answer, upgraded: { socket, head } }));
    request.on('error', (cause) => {
      body?.unpipe(request);
      const isStale = request.reusedSocket && 'code' in cause && cause.code === 'ECONNRESET';
      reject(isStale ? new StaleConnection('The connection broke.', { cause }) : cause);
    });
    if (!body) request.end();
    else body.once('error', (error) => request.destroy(error)).pipe(request);
  });
}

/** The delay in a `Retry-After` header, in milliseconds, given in seconds or as a date; null if it is neither. */
export function parseRetryAfter(header: string | string[] | undefined): number | null {
  const text = String(header ?? '');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(at - clock.now(), 0);
}
