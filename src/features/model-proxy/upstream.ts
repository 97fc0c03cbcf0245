import { type Agent, errors, request } from 'undici';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { ModelRefusal } from '../../contract/model-proxy.ts';
import { parseRetryAfter } from '../../infrastructure/exchange.ts';
import { trustedAgent } from '../../infrastructure/trusted-hosts.ts';
import type { Settings } from '../../settings/settings.ts';
import { KeyGuard } from './key-guard.ts';

/** The parts of the provider's responses that are read here. */
export interface UpstreamAnswer {
  status: number;
  contentType: string;
  body: AsyncIterable<Buffer>;
}

/** Clients act on these words, so they are passed on as they are; anything that is no such word is dropped. */
const wordSchema = z
  .string()
  .regex(/^[!-~]{1,200}$/)
  .optional()
  .catch(undefined);

/** The provider's error about a request. */
const refusalSchema = z.object({
  error: z.object({
    message: z.string().max(4000).optional().catch(undefined),
    type: wordSchema,
    code: wordSchema,
    param: wordSchema,
  }),
});

/** The model provider behind the proxy. It may be slow, wrong, cut off or gone. */
export class Upstream {
  /** Of the key with which it is asked. */
  readonly keyGuard: KeyGuard;
  private readonly deps: Settings;
  private readonly maxBytes: number;
  private readonly agent: Agent;

  constructor(deps: Settings) {
    const { connectTimeoutMs, answerTimeoutMs, idleTimeoutMs, maxAnswerBytes } = deps.modelProxy;
    this.deps = deps;
    this.keyGuard = new KeyGuard(deps.modelUpstream?.key);
    this.maxBytes = maxAnswerBytes;
    this.agent = trustedAgent({
      connectTimeoutMs,
      headersTimeout: answerTimeoutMs,
      bodyTimeout: idleTimeoutMs,
    });
  }

  /**
   * Sends a request to the provider.
   * @param path after `/v1`
   * @param signal aborts the request when the caller disconnects, so that nobody pays for unread output
   * @throws AppError MODEL_PROXY_NOT_CONFIGURED, MODEL_PROXY_UPSTREAM_ERROR, MODEL_PROXY_TIMEOUT, RATE_LIMITED
   */
  async ask(method: 'GET' | 'POST', path: string, body: object | null, signal: AbortSignal): Promise<UpstreamAnswer> {
    if (!this.deps.modelUpstream) throw new AppError('MODEL_PROXY_NOT_CONFIGURED');
    const { url, key } = this.deps.modelUpstream;
    const json = body ? { 'content-type': 'application/json' } : {};
    const authorization = key ? { authorization: `Bearer ${key}` } : {};
    try {
      const answer = await request(`${url}${path}`, {
        method,
        dispatcher: this.agent,
        signal,
        headers: { accept: 'application/json, text/event-stream', ...json, ...authorization },
        body: body && JSON.stringify(body),
      });
      const { statusCode: status, headers } = answer;
      const contentType = String(headers['content-type'] ?? '');
      if (status === 200) return { status, contentType, body: answer.body };
      const text = await this.readText(answer.body);
      throw refused(status, text, parseRetryAfter(headers['retry-after']), this.keyGuard);
    } catch (error) {
      throw asUpstreamError(error);
    }
  }

  /** The JSON object of a response. @throws AppError MODEL_PROXY_UPSTREAM_ERROR for nonsense, MODEL_PROXY_TIMEOUT */
  async readJson(answer: UpstreamAnswer): Promise<Record<string, unknown>> {
    const object = z.record(z.string(), z.unknown());
    try {
      return object.parse(JSON.parse(await this.readText(answer.body)));
    } catch (error) {
      throw asUpstreamError(error);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async readText(body: AsyncIterable<Buffer>): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > this.maxBytes) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

/** The caller's errors are reported in the provider's words; ours and the provider's in ours (contract §13). */
function refused(status: number, text: string, waitMs: number | null, keyGuard: KeyGuard): AppError {
  if (status === 429) {
    const retryAfter = Math.ceil((waitMs || 1000) / 1000);
    return new AppError('RATE_LIMITED', { message: 'The provider of the model is busy; wait.', retryAfter });
  }
  if (status < 400 || status === 401 || status === 403 || status >= 500) {
    return new AppError('MODEL_PROXY_UPSTREAM_ERROR');
  }
  return refusalIn(text, keyGuard);
}

/** Words that repeat the key are dropped, all of them: what else they say of it is not known. */
function refusalIn(text: string, keyGuard: KeyGuard): ModelRefusal {
  try {
    const { error } = refusalSchema.parse(JSON.parse(text));
    return new ModelRefusal(Object.values(error).some((word) => word && keyGuard.isTold(word)) ? {} : error);
  } catch {
    return new ModelRefusal({});
  }
}

/** Any failure between us and the provider, as an error of contract §13. */
export function asUpstreamError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const slow =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError;
  return new AppError(slow ? 'MODEL_PROXY_TIMEOUT' : 'MODEL_PROXY_UPSTREAM_ERROR', { cause: error });
}
