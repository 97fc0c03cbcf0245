import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
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

/** Streams a reply whose text the server reads from somewhere itself: a request's body, or a model. */
export class StreamMouth {
  /** Aborts when the reply was stopped: nobody needs more of it. */
  readonly signal: AbortSignal;
  private readonly streams: ReplyStreams;
  private readonly actor: Actor;
  private readonly reply: SpokenReply;
  private readonly isServed: boolean;
  private readonly stopping = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private length: number;
  private hasBegun = false;

  /** @param isServed whether nobody could continue it but this node */
  constructor(streams: ReplyStreams, actor: Actor, reply: SpokenReply, isServed: boolean) {
    this.streams = streams;
    this.actor = actor;
    this.reply = reply;
    this.isServed = isServed;
    this.length = reply.offset;
    this.signal = this.stopping.signal;
    this.timer = setInterval(() => void this.touch(), touchMs);
  }

  /** Says what comes next; nothing shows at once that a reply begins. @throws AppError like `ReplyStreams.push` */
  async say(text: string): Promise<void> {
    for (const delta of piecesOf(text)) await this.push(delta, false);
  }

  /** @returns the message that it has become. @throws AppError like `ReplyStreams.push` */
  async finish(): Promise<{ length: number; message: MessageRecord | undefined }> {
    this.close();
    return { length: this.length, message: await this.push('', true) };
  }

  /** Nothing more is read. The reply itself stays in progress for a while, to be continued. */
  close(): void {
    clearInterval(this.timer);
  }

  private async push(delta: string, done: boolean): Promise<MessageRecord | undefined> {
    const { channelId, streamId, threadId, replyToId } = this.reply;
    const offset = this.length;
    const piece = { channelId, streamId, threadId, replyToId, delta, offset, done, content: undefined };
    const { message } = await this.streams.push(this.actor, piece, null, this.isServed);
    this.length = offset + delta.length;
    this.hasBegun = true;
    return message;
  }

  private async touch(): Promise<void> {
    const goesOn = await this.streams.touch(this.actor, this.reply).catch(() => true);
    if (!goesOn && this.hasBegun) this.stopping.abort(new AppError('STREAM_STOPPED'));
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
