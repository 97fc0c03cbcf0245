import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError, ifMissing } from '../../contract/errors.ts';
import { maxContent } from '../../contract/message.ts';
import type { deliverSchema } from '../../contract/model-proxy.ts';
import { isBlank } from '../../contract/unicode/visible.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { StreamEnds } from '../agents/streams/stream.ends.ts';
import { type MouthParts, type SpokenReply, StreamMouth } from '../agents/streams/stream.mouth.ts';
import type { ReplyStreams } from '../agents/streams/stream.service.ts';
import { together } from '../agents/streams/together.ts';
import type { Context } from '../context.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import type { Caller, ModelCallers } from './model-callers.ts';
import type { ModelUsageService } from './model-usage.service.ts';
import { presentable, StreamedAnswer } from './streamed-answer.ts';
import { asUpstreamError, type Upstream } from './upstream.ts';

interface Asked {
  model: string;
  stream_options?: object | null | undefined;
}

/** What was said of an answer, and what it became. */
interface Said {
  answer: StreamedAnswer;
  content: string;
  /** Null: it has no text. */
  message: MessageRecord | null;
}

interface Deps extends Pick<Context, 'operations'>, Omit<MouthParts, 'streams'> {
  upstream: Upstream;
  callers: ModelCallers;
  usage: ModelUsageService;
  replyStreams: ReplyStreams;
  streamEnds: StreamEnds;
}

/**
 * Streams answers of models into channels, in the name of bots (contract §8): they go on when the caller leaves, and end when
 * someone stops the reply, or its bot may no longer speak.
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
   * @throws AppError like `ModelCallers.speaker`, `StreamMouth.say` and `Upstream.ask`
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
    input: Asked,
  ): Promise<object> {
    const bot = await this.deps.callers.speaker(caller, agentId);
    const reply = { channelId, streamId, replyToId, threadId, offset: 0 };
    const delivering = this.stream(caller, bot, reply, input);
    this.running.add(delivering);
    try {
      const { answer, content, message } = await delivering;
      const { promptTokens, completionTokens } = answer.counted;
      const total = promptTokens + completionTokens;
      const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total };
      const choice = { index: 0, message: answer.messageWith(content), finish_reason: answer.finishReason };
      const created = Math.floor(clock.now() / 1000);
      const about = { id: `chatcmpl-${streamId}`, object: 'chat.completion', created, model: input.model };
      return { ...about, choices: [choice], usage, delivered: { channelId, streamId, message } };
    } finally {
      this.running.delete(delivering);
    }
  }

  /** Ends those that run, with the text so far. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled(this.running);
  }

  private async stream(caller: Caller, bot: Actor, reply: SpokenReply, input: Asked): Promise<Said> {
    const mouth = new StreamMouth({ ...this.deps, streams: this.deps.replyStreams }, bot, reply, true);
    const answer = new StreamedAnswer();
    try {
      // Whether it may speak there is known before anybody pays.
      await mouth.say('');
      const content = await this.read(mouth, answer, input);
      return { answer, content, message: await this.finish(mouth, bot, reply, content) };
    } catch (error) {
      const reason: unknown = mouth.signal.aborted ? mouth.signal.reason : error;
      // One that may not be said, or was stopped, has ended by itself.
      await this.deps.streamEnds.cut(bot, reply).catch(ifMissing);
      throw asUpstreamError(reason);
    } finally {
      mouth.close();
      await this.deps.usage.add(caller, input.model, answer.counted);
    }
  }

  /** What has no text, as calls of tools alone, becomes no message. The caller gets it all the same, who has paid for it. */
  private async finish(
    mouth: StreamMouth,
    bot: Actor,
    reply: SpokenReply,
    content: string,
  ): Promise<MessageRecord | null> {
    if (isBlank(content)) {
      await this.deps.streamEnds.cut(bot, reply).catch(ifMissing);
      return null;
    }
    // It is not committed once the bot is stopped.
    const { message } = await this.deps.operations.run(
      () => mouth.requireSpeaker(),
      () => mouth.finish(),
    );
    return message ?? null;
  }

  /** Says an answer as it comes, as much of it as a message holds. @returns what was said */
  private async read(mouth: StreamMouth, answer: StreamedAnswer, input: Asked): Promise<string> {
    const { upstream } = this.deps;
    const body = { ...input, stream: true, stream_options: { ...input.stream_options, include_usage: true } };
    const over = new AbortController();
    const signal = AbortSignal.any([mouth.signal, this.closing.signal, over.signal]);
    try {
      const { contentType, body: events } = await upstream.ask('POST', '/chat/completions', body, signal);
      if (!contentType.startsWith('text/event-stream')) throw new AppError('MODEL_PROXY_UPSTREAM_ERROR');
      let content = '';
      for await (const text of presentable(together(answer.texts(events)), upstream.keyGuard)) {
        const fits = firstOf(text, maxContent - content.length);
        await mouth.say(fits);
        content += fits;
        if (fits !== text) {
          answer.finishReason = 'length';
          break;
        }
      }
      return content;
    } finally {
      // Nobody reads the rest.
      over.abort();
    }
  }
}

/** The beginning of a text, of whole characters. */
function firstOf(text: string, length: number): string {
  const first = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(first) ? first.slice(0, -1) : first;
}
