import { createHash } from 'node:crypto';
import { errors } from 'undici';
import webPush from 'web-push';
import { AppError } from '../../contract/errors.ts';
import type { PushPayload } from '../../contract/push.ts';
import type { Outgoing } from '../../infrastructure/outgoing.ts';
import type { VapidKeys } from '../../settings/push-settings.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Target } from './push.table.ts';

/** What becomes of a push. */
export type Outcome =
  | { is: 'sent' }
  /** The push service knows the subscription no more. */
  | { is: 'gone' }
  /** Nothing was sent, or the push service refused it for now: it may be tried again. */
  | { is: 'refused'; error: string }
  /** It was refused for good, or nobody knows whether it arrived: it is not sent again. */
  | { is: 'failed'; error: string };

interface Options {
  urgency: webPush.Urgency;
  /** What it is about: of several that wait for a device that is away the last one is delivered. */
  about: string;
}

/** Only the status of an answer counts; so much of its body is read, and waited for, to keep the connection. */
const maxAnswerBytes = 16 * 1024;
const maxAnswerMs = 1000;

/** Encrypts and signs pushes (RFC 8291, RFC 8292), and sends each once, under the rules for addresses that others chose. */
export class PushSender {
  private readonly outgoing: Outgoing;
  private readonly keys: VapidKeys;
  private readonly settings: Pick<Settings, 'push' | 'pushContact'>;

  constructor(outgoing: Outgoing, keys: VapidKeys, settings: Pick<Settings, 'push' | 'pushContact'>) {
    this.outgoing = outgoing;
    this.keys = keys;
    this.settings = settings;
  }

  /** Whether the push service of a subscription takes pushes that are signed with the present key. */
  isSignedFor({ serverKey }: Pick<Target, 'serverKey'>): boolean {
    return serverKey === this.keys.publicKey;
  }

  /** @param over aborts at once */
  async send(to: Target, payload: PushPayload, { urgency, about }: Options, over: AbortSignal): Promise<Outcome> {
    const { ttlSeconds, timeoutMs } = this.settings.push;
    const signal = AbortSignal.any([over, AbortSignal.timeout(timeoutMs)]);
    try {
      const { headers, body } = webPush.generateRequestDetails(
        { endpoint: to.endpoint, keys: { p256dh: to.p256dh, auth: to.auth } },
        JSON.stringify(payload),
        {
          vapidDetails: { subject: this.settings.pushContact, ...this.keys },
          TTL: ttlSeconds,
          urgency,
          topic: topicOf(to, about),
        },
      );
      const sent = { ...textsOf(headers), 'user-agent': 'Parley-Push' };
      const answer = await this.outgoing.request(new URL(to.endpoint), { method: 'POST', headers: sent, body, signal });
      // The body does not matter, nor whether it ever ends.
      const rest = AbortSignal.any([signal, AbortSignal.timeout(maxAnswerMs)]);
      await answer.body.dump({ limit: maxAnswerBytes, signal: rest }).catch(() => {});
      return judged(answer.statusCode);
    } catch (error) {
      return { is: isUnsent(error) ? 'refused' : 'failed', error: sentenceOf(error) };
    }
  }
}

/** Push services see it: it is a hash, with a secret that only the device has beside this server. */
function topicOf({ auth }: Target, about: string): string {
  return createHash('sha256').update(`${auth} ${about}`).digest('base64url').slice(0, 32);
}

/** Of the request alone: the length is that of the body. */
function textsOf(headers: webPush.Headers): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
  return Object.fromEntries(named.map(([name, value]) => [name, String(value)]));
}

function judged(status: number): Outcome {
  if (status >= 200 && status < 300) return { is: 'sent' };
  if (status === 404 || status === 410) return { is: 'gone' };
  const error = `The push service answered ${status}.`;
  return { is: status === 429 || status >= 500 ? 'refused' : 'failed', error };
}

const codesBefore = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH']);

/** Whether an error means that no connection came about. */
function isUnsent(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'SERVER_BUSY';
  if (error instanceof errors.ConnectTimeoutError) return true;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codesBefore.has(error.code);
}

/** Without the address, which is as good as a secret. */
function sentenceOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  return code ?? (error instanceof Error ? error.name : 'unknown');
}
