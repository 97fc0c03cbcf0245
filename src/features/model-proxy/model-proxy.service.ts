import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import {
  type chatSchema,
  type embeddingsSchema,
  type modelItemSchema,
  type modelListSchema,
  openAiError,
} from '../../contract/model-proxy.ts';
import type { Context } from '../context.ts';
import { countedIn, nothing } from './counted.ts';
import { eventData } from './event-data.ts';
import { type Caller, type ModelCallers, requireNoBot } from './model-callers.ts';
import type { ModelDeliveries } from './model-deliveries.ts';
import type { ModelUsageService } from './model-usage.service.ts';
import { asUpstreamError, type Upstream, type UpstreamAnswer } from './upstream.ts';

type ModelList = z.input<typeof modelListSchema>;
type ModelItem = z.input<typeof modelItemSchema>;

/** A response being sent: JSON, or events one at a time. */
export interface ModelAnswer {
  headers: Record<string, string>;
  body: string | Readable;
}

const chunkSchema = z.looseObject({ choices: z.array(z.unknown()).optional(), usage: z.unknown().optional() });
const upstreamListSchema = z.object({ data: z.array(z.looseObject({ id: z.string() })).max(10_000) });

const done = '[DONE]';

interface Deps extends Pick<Context, 'settings' | 'log'> {
  upstream: Upstream;
  callers: ModelCallers;
  usage: ModelUsageService;
  deliveries: ModelDeliveries;
}

/** Proxies requests to the model provider, in OpenAI's formats, and records usage (contract §8). */
export class ModelProxy {
  private readonly deps: Deps;
  private readonly offered: string[];

  constructor(deps: Deps) {
    this.deps = deps;
    this.offered = deps.settings.modelUpstream?.models ?? [];
  }

  /** The models that the caller may use. */
  async models(caller: Caller, signal: AbortSignal): Promise<ModelList> {
    requireNoBot(caller);
    await this.deps.callers.count(caller);
    const data = this.offered.length > 0 ? this.offered.map((id) => modelItem(id)) : await this.upstreamModels(signal);
    return { object: 'list', data: data.filter(({ id }) => caller.models?.includes(id) ?? true) };
  }

  /** @throws AppError MODEL_NOT_FOUND */
  async model(caller: Caller, id: string, signal: AbortSignal): Promise<ModelItem> {
    const { data } = await this.models(caller, signal);
    const found = data.find((model) => model.id === id);
    if (!found) throw new AppError('MODEL_NOT_FOUND');
    return found;
  }

  /** @throws AppError FORBIDDEN for a bot without `deliver`, MODEL_NOT_FOUND, and as Upstream.ask and ModelDeliveries.deliver */
  async chat(caller: Caller, asked: z.output<typeof chatSchema>, signal: AbortSignal): Promise<ModelAnswer> {
    const { deliver, ...input } = asked;
    if (!deliver) requireNoBot(caller);
    const headers = await this.deps.callers.count(caller);
    this.requireModel(caller, input.model);
    if (deliver) {
      const json = await this.deps.deliveries.deliver(caller, deliver, input);
      return { headers: { ...headers, 'content-type': 'application/json' }, body: this.withoutKey(json) };
    }
    if (!input.stream) return this.whole(caller, '/chat/completions', input, headers, signal);
    // Requests the usage, which the provider sends as one more event.
    const wantsUsage = input.stream_options?.include_usage === true;
    const body = { ...input, stream_options: { ...input.stream_options, include_usage: true } };
    const answer = await this.deps.upstream.ask('POST', '/chat/completions', body, signal);
    if (!answer.contentType.startsWith('text/event-stream')) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
    const events = this.relay(caller, input.model, answer, wantsUsage, signal);
    const streaming = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
    // Proxies on the way must not buffer the events either.
    return { headers: { ...headers, ...streaming, 'x-accel-buffering': 'no' }, body: Readable.from(events) };
  }

  /** @throws AppError as `chat` */
  async embeddings(
    caller: Caller,
    input: z.output<typeof embeddingsSchema>,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    requireNoBot(caller);
    const headers = await this.deps.callers.count(caller);
    this.requireModel(caller, input.model);
    return this.whole(caller, '/embeddings', input, headers, signal);
  }

  private async whole(
    caller: Caller,
    path: string,
    input: { model: string },
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ModelAnswer> {
    const answer = await this.deps.upstream.ask('POST', path, input, signal);
    const json = await this.deps.upstream.readJson(answer);
    await this.deps.usage.add(caller, input.model, countedIn(json) ?? nothing);
    return { headers: { ...headers, 'content-type': 'application/json' }, body: this.withoutKey(json) };
  }

  /** The provider's events as they arrive; an error on the way is the last of them. */
  private async *relay(
    caller: Caller,
    model: string,
    answer: UpstreamAnswer,
    wantsUsage: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    let counted = nothing;
    let ended = false;
    try {
      for await (const data of eventData(answer.body)) {
        ended = data === done;
        if (ended) break;
        const chunk = chunkSchema.parse(JSON.parse(data));
        counted = countedIn(chunk) ?? counted;
        const onlyCounts = chunk.usage != null && chunk.choices?.length === 0;
        const said = this.deps.upstream.keyGuard.isTold(JSON.stringify(chunk)) ? this.withoutKey(chunk) : data;
        if (!onlyCounts || wantsUsage) yield `data: ${said.replaceAll('\n', '\ndata: ')}\n\n`;
      }
      if (!ended) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR', { message: 'The model was cut off.' });
      yield `data: ${done}\n\n`;
    } catch (error) {
      const known = asUpstreamError(error);
      if (!signal.aborted) this.deps.log.warn({ err: error, reason: known.code }, 'A stream of a model broke.');
      yield `data: ${JSON.stringify(openAiError(known))}\n\n`;
    } finally {
      await this.deps.usage.add(caller, model, counted);
    }
  }

  /** The provider may repeat the operator's key, in an error for example. */
  private withoutKey(said: object): string {
    return this.deps.upstream.keyGuard.cleared(JSON.stringify(said));
  }

  private requireModel(caller: Caller, model: string): void {
    const isOffered = this.offered.length === 0 || this.offered.includes(model);
    if (!isOffered || !(caller.models?.includes(model) ?? true)) throw new AppError('MODEL_NOT_FOUND');
  }

  private async upstreamModels(signal: AbortSignal): Promise<ModelItem[]> {
    const answer = await this.deps.upstream.ask('GET', '/models', null, signal);
    const list = upstreamListSchema.safeParse(await this.deps.upstream.readJson(answer));
    if (!list.success) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
    return list.data.data.map(({ id }) => modelItem(id));
  }
}

function modelItem(id: string): ModelItem {
  return { id, object: 'model', created: 0, owned_by: 'parley' };
}
