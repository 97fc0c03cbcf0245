import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { validated } from '../../../contract/schema/validation.ts';
import { streamSchema } from '../../../contract/stream.ts';
import { type RateLimits, refusal } from '../../../infrastructure/rate-limits.ts';
import type { AgentIdentity } from '../../accounts/agent.identity.ts';
import type { Identity } from '../../accounts/identity.ts';
import type { MessageRecord } from '../../messages/message.view.ts';
import type { ReplyStreams } from './stream.service.ts';

/** What a reply is that the server reads from somewhere. */
export interface SpokenReply {
  channelId: string;
  streamId: string;
  threadId: string | null;
  replyToId: string | null;
  /** How much of it came before. */
  offset: number;
}

/** Less than a piece may have, whichever characters it has. */
const maxDelta = 1000;
/** How often it shows that the reply goes on, and learns that it was stopped. */
const touchMs = 5000;
/** How often it learns whether its bot may still speak. */
const recheckMs = 1000;

/** What a mouth speaks with. */
export interface MouthParts {
  streams: ReplyStreams;
  identity: Pick<Identity, 'refreshed'>;
  agentIdentity: Pick<AgentIdentity, 'actor'>;
  limits: RateLimits;
}

/** Streams a reply whose text the server reads from somewhere itself: a request's body, or a model. */
export class StreamMouth {
  /** Aborts when the reply was stopped, or its bot was: nobody needs more of it. */
  readonly signal: AbortSignal;
  private readonly parts: MouthParts;
  private actor: Actor;
  private readonly reply: SpokenReply;
  private readonly isServed: boolean;
  private readonly stopping = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private length: number;
  private hasBegun = false;
  private checkedAt = performance.now();

  /** @param isServed whether nobody could continue it but this node */
  constructor(parts: MouthParts, actor: Actor, reply: SpokenReply, isServed: boolean) {
    this.parts = parts;
    this.actor = actor;
    this.reply = reply;
    this.isServed = isServed;
    this.length = reply.offset;
    this.signal = this.stopping.signal;
    this.timer = setInterval(() => void this.touch(), touchMs);
  }

  /**
   * Says what comes next; nothing shows at once that a reply begins.
   * @throws AppError VALIDATION_FAILED for what no message can hold, RATE_LIMITED, like `requireSpeaker` and `ReplyStreams.push`
   */
  async say(text: string): Promise<void> {
    for (const delta of piecesOf(text)) await this.push(delta, false);
  }

  /** @returns the message that it has become. @throws AppError like `say` */
  async finish(): Promise<{ length: number; message: MessageRecord | undefined }> {
    this.close();
    await this.requireSpeaker();
    return { length: this.length, message: await this.push('', true) };
  }

  /** Nothing more is read. The reply itself stays in progress for a while, to be continued. */
  close(): void {
    clearInterval(this.timer);
  }

  /**
   * Its bot may have been stopped since it began, its token revoked, or its owner suspended.
   * @throws AppError AGENT_STOPPED, and as `Identity.refreshed`
   */
  async requireSpeaker(): Promise<void> {
    const { identity, agentIdentity } = this.parts;
    const { actor } = this;
    const speaker = await (actor.agent?.tokenId ? identity.refreshed(actor) : agentIdentity.actor(actor.userId));
    if (!speaker) throw new AppError('AGENT_STOPPED');
    this.actor = speaker;
    this.checkedAt = performance.now();
  }

  private async push(delta: string, done: boolean): Promise<MessageRecord | undefined> {
    const { channelId, streamId, threadId, replyToId } = this.reply;
    const offset = this.length;
    const piece = validated(streamSchema, { channelId, streamId, threadId, replyToId, delta, offset, done });
    if (performance.now() - this.checkedAt >= recheckMs) await this.requireSpeaker();
    if (delta !== '') this.count();
    const { message } = await this.parts.streams.push(this.actor, piece, null, this.isServed);
    this.length = offset + delta.length;
    this.hasBegun = true;
    return message;
  }

  /** What comes over HTTP is as many pieces as over a socket. @throws AppError RATE_LIMITED */
  private count(): void {
    const quota = this.isServed ? null : this.parts.limits.takeEvent('deltas', this.actor);
    if (quota?.exceeded) throw refusal(quota);
  }

  private async touch(): Promise<void> {
    try {
      await this.requireSpeaker();
      const goesOn = await this.parts.streams.touch(this.actor, this.reply);
      if (!goesOn && this.hasBegun) this.stopping.abort(new AppError('STREAM_STOPPED'));
    } catch (error) {
      // What failed on our side may be well again by the next time.
      if (error instanceof AppError && error.status < 500) this.stopping.abort(error);
    }
  }
}

/** Between whole characters: half of one is lost on the way to other nodes. At least one piece, which may be empty. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > maxDelta) {
    const isHalf = /[\ud800-\udbff]/.test(rest.charAt(maxDelta - 1));
    const at = isHalf ? maxDelta - 1 : maxDelta;
    pieces.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...pieces, rest];
}
