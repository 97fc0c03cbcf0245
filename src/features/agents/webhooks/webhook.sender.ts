import { type Dispatcher, errors } from 'undici';
import { AppError } from '../../../contract/errors.ts';
import { clock } from '../../../infrastructure/clock.ts';
import { parseRetryAfter } from '../../../infrastructure/exchange.ts';
import type { Outgoing } from '../../../infrastructure/outgoing.ts';
import { signatures } from './signature.ts';

/** What is sent: its id is the same for each attempt. */
export interface WebhookRequest {
  url: string;
  /** In plain form; all of them sign. */
  secrets: string[];
  id: string;
  body: string;
}

/** The outcome of one attempt. */
export type Outcome =
  | { delivered: true }
  | {
      delivered: false;
      /** A sentence for the bot's owner. */
      error: string;
      /** The receiver wants no more events, ever. */
      gone: boolean;
      /** The receiver asked for this delay. */
      retryAfterMs: number | null;
    };

/** Only the status of a response to an event counts; this much of its body is read, and waited for, to keep the connection. */
const maxAnswerBytes = 64 * 1024;
const maxAnswerMs = 1000;

/** Sends events to webhooks in the Standard Webhooks format, one attempt each. */
export class WebhookSender {
  private readonly outgoing: Outgoing;
  private readonly timeoutMs: number;

  constructor(outgoing: Outgoing, timeoutMs: number) {
    this.outgoing = outgoing;
    this.timeoutMs = timeoutMs;
  }

  /** @param leaving aborts at once, when the node closes */
  async send(request: WebhookRequest, leaving?: AbortSignal): Promise<Outcome> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const signal = leaving ? AbortSignal.any([timeout, leaving]) : timeout;
    try {
      const answer = await this.post(request, signal);
      // The body does not matter, nor whether it ever ends.
      const rest = AbortSignal.any([signal, AbortSignal.timeout(maxAnswerMs)]);
      await answer.body.dump({ limit: maxAnswerBytes, signal: rest }).catch(() => {});
      return judged(answer.statusCode, answer.headers['retry-after']);
    } catch (error) {
      const text = timeout.aborted ? `It did not answer within ${this.timeoutMs / 1000} s.` : sentenceOf(error);
      return { delivered: false, error: text, gone: false, retryAfterMs: null };
    }
  }

  /**
   * Sends what is asked and not told: once, and the body of the response counts.
   * @returns undefined for a response that is not 2xx, is longer than 64 KiB or none within `ms`
   */
  async ask(request: WebhookRequest, ms: number): Promise<string | undefined> {
    const signal = AbortSignal.timeout(ms);
    try {
      const answer = await this.post(request, signal);
      if (judged(answer.statusCode, undefined).delivered) return await textOf(answer.body, signal);
      await answer.body.dump({ limit: maxAnswerBytes, signal }).catch(() => {});
    } catch {
      // The caller has no one to tell why.
    }
    return undefined;
  }

  private post({ url, secrets, id, body }: WebhookRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const timestamp = Math.floor(clock.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Parley-Webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(secrets, id, timestamp, body),
    };
    return this.outgoing.request(new URL(url), { method: 'POST', headers, body, signal });
  }
}

/** The text of a body, as long as it is not too much. */
async function textOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    // Leaving the loop ends the body.
    if (size > maxAnswerBytes || signal.aborted) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function judged(status: number, retryAfter: string | string[] | undefined): Outcome {
  if (status >= 200 && status < 300) return { delivered: true };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const error = `It answered ${status}${redirect}.`;
  return { delivered: false, error, gone: status === 410, retryAfterMs: parseRetryAfter(retryAfter) };
}

function sentenceOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof AppError) return at.message;
    if (at instanceof errors.ConnectTimeoutError) return 'It could not be connected to in time.';
    const code = 'code' in at ? at.code : undefined;
    if (code === 'ECONNREFUSED') return 'It refused the connection.';
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'Its host name is not known.';
    if (typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED/.test(code))
      return `Its certificate is not good: ${code}.`;
  }
  return 'The connection broke.';
}
