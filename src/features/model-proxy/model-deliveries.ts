import { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import type { deliverSchema } from '../../contract/model-proxy.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { StreamEnds } from '../agents/streams/stream.ends.ts';
import { type MouthParts, StreamMouth } from '../agents/streams/stream.mouth.ts';
import type { ReplyStreams } from '../agents/streams/stream.service.ts';
import { countedIn, nothing } from './counted.ts';
import { eventData } from './event-data.ts';
import type { Caller, ModelCallers } from './model-callers.ts';
import type { ModelUsageService } from './model-usage.service.ts';
import { asUpstreamError, type Upstream } from './upstream.ts';

/** Pieces of an answer that come faster are shown together. */
const togetherMs = 100;
const togetherLength = 500;

const partSchema = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().default(0),
        delta: z.object({ content: z.string().nullish() }).default({}),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  error: z.unknown().optional(),
});

/** What was read of an answer. */
interface Read {
  content: string;
  finishReason: string;
}

interface Deps extends Omit<MouthParts, 'streams'> {
  upstream: Upstream;
  callers: ModelCallers;
  usage: ModelUsageService;
  replyStreams: ReplyStreams;
  streamEnds: StreamEnds;
}

/**
 * Streams answers of models into channels, in the name of bots (contract §8): they go on when the caller leaves, and end when
 * someone stops the reply.
 */
export class ModelDeliveries {
  private readonly deps: Deps;
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @returns the whole answer in the provider's form, with the message that it has become
   * @throws AppError like `ModelCallers.speaker`, `ReplyStreams.push` and `Upstream.ask`
   */
  async deliver(
    caller: Caller,
    {
      channelId,
      streamId = newId(),
      replyToId = null,
      threadId = null,
      agentId = null,
    }: z.output<typeof deliverSchema>,
    input: { model: string; stream_options?: object | null | undefined },
  ): Promise<object> {
    const bot = await this.deps.callers.speaker(caller, agentId);
    const reply = { channelId, streamId, replyToId, threadId, offset: 0 };
    const delivering = this.stream(caller, bot, reply, input);
    this.running.add(delivering);
    try {
      const { message, content, finishReason, counted } = await delivering;
      const { promptTokens, completionTokens } = counted;
      const total = promptTokens + completionTokens;
      const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total };
      const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: finishReason };
      const created = Math.floor(clock.now() / 1000);
      const answer = { id: `chatcmpl-${streamId}`, object: 'chat.completion', created, model: input.model };
      return { ...answer, choices: [choice], usage, delivered: { channelId, streamId, message } };
    } finally {
      this.running.delete(delivering);
    }
  }

  /** Ends those that run, with the text so far. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled(this.running);
  }

  private async stream(
    caller: Caller,
    bot: Actor,
    reply: ConstructorParameters<typeof StreamMouth>[2],
    input: { model: string; stream_options?: object | null | undefined },
  ) {
    const mouth = new StreamMouth({ ...this.deps, streams: this.deps.replyStreams }, bot, reply, true);
    let counted = nothing;
    try {
      // Whether it may speak there is known before anybody pays.
      await mouth.say('');
      const read = await this.read(mouth, input, (found) => {
        counted = found;
      });
      return { ...read, ...(await mouth.finish()), counted };
    } catch (error) {
      if (mouth.signal.aborted) throw mouth.signal.reason;
      // One that may not be said has ended by itself.
      await this.deps.streamEnds.cut(bot, reply).catch(ifMissing);
      throw asUpstreamError(error);
    } finally {
      mouth.close();
      await this.deps.usage.add(caller, input.model, counted);
    }
  }

  /** Says an answer as it comes. */
  private async read(
    mouth: StreamMouth,
    input: { stream_options?: object | null | undefined },
    count: (counted: typeof nothing) => void,
  ): Promise<Read> {
    const { upstream } = this.deps;
    const body = { ...input, stream: true, stream_options: { ...input.stream_options, include_usage: true } };
    const signal = AbortSignal.any([mouth.signal, this.closing.signal]);
    const answer = await upstream.ask('POST', '/chat/completions', body, signal);
    if (!answer.contentType.startsWith('text/event-stream')) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
    let [content, waiting, saidAt] = ['', '', Number.NEGATIVE_INFINITY];
    let finishReason = 'stop';
    for await (const data of eventData(answer.body)) {
      if (data === '[DONE]') break;
      const chunk: unknown = JSON.parse(data);
      const { choices, error } = partSchema.parse(chunk);
      if (error) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
      const counted = countedIn(chunk);
      if (counted) count(counted);
      const own = choices.find(({ index }) => index === 0);
      waiting += own?.delta.content ?? '';
      finishReason = own?.finish_reason ?? finishReason;
      if (waiting.length < togetherLength && performance.now() - saidAt < togetherMs) continue;
      if (waiting !== '') await mouth.say(waiting);
      [content, waiting, saidAt] = [content + waiting, '', performance.now()];
    }
    if (waiting !== '') await mouth.say(waiting);
    return { content: content + waiting, finishReason };
  }
}
