import { signal } from '@preact/signals';
import type { ChannelEventMap, Message } from '../../../client/index.ts';
import type { Core } from './session.ts';

type Piece = ChannelEventMap['message:stream'];

/** A bot's reply in progress, as far as it was received. */
export interface Reply {
  key: string;
  streamId: string;
  channelId: string;
  threadId: string | null;
  replyToId: string | null;
  author: Message['author'];
  /** The text received without a gap. */
  text: string;
  /** Where it begins in the reply; undefined: unknown. Before that something is missing, unless it is 0. */
  start: number | undefined;
  /** Where it ends, to detect missed pieces; undefined: unknown. */
  position: number | undefined;
  /** The message it has become, if that is known before the message arrives. */
  messageId: string | null;
  startedAt: string;
}

/** The server reports abandoned replies after half a minute; this is for clients that missed it. */
const silenceMs = 60_000;
/** How long the message may take to arrive. */
const arrivalMs = 2000;

/** Replies that bots are writing. */
export class Replies {
  /** Oldest first. */
  readonly list = signal<readonly Reply[]>([]);
  private readonly core: Core;
  /** Keys of those on the screen. */
  private readonly shown = new Set<string>();
  /** Ids of the messages that those have become. */
  private readonly watchedMessages = new Set<string>();
  private readonly timers = new Map<string, () => void>();

  constructor(core: Core) {
    this.core = core;
    // Events of unopened DMs arrive anyway.
    core.client.on('message:stream', (piece) => this.received(piece));
    core.client.on('message:new', (message) => this.replace(message));
  }

  /** Listens in a channel. */
  follow(channelId: string): void {
    const channel = this.core.client.channel(channelId);
    channel.listen('message:stream', (piece) => this.received(piece));
    channel.listen('message:new', (message) => this.replace(message));
  }

  /** A reply is on the screen. @returns ends that */
  show(key: string): () => void {
    this.shown.add(key);
    return () => this.shown.delete(key);
  }

  /** Whether the user watched a message being written: it must not move under their eyes. */
  wasWatched(messageId: string): boolean {
    return this.watchedMessages.has(messageId);
  }

  private received(piece: Piece): void {
    const key = `${piece.userId} ${piece.channelId} ${piece.streamId}`;
    const known = this.list.peek().find((reply) => reply.key === key);
    if (!piece.done) this.extend(key, known, piece);
    else if (known && piece.messageId) this.put({ ...known, messageId: piece.messageId }, arrivalMs);
    else this.remove(key);
  }

  private extend(key: string, known: Reply | undefined, piece: Piece): void {
    const { author, streamId, channelId, threadId, replyToId = null } = piece;
    if (!author) return;
    const { messageId = null, startedAt = piece.startedAt ?? new Date().toISOString() } = known ?? {};
    const about = { key, streamId, channelId, threadId, replyToId, author, messageId, startedAt };
    this.put({ ...about, ...joined(known, piece) }, silenceMs);
  }

  /** The message comes before the event that names it, so it is recognized by its beginning. */
  private replace(message: Message): void {
    const candidates = this.list
      .peek()
      .filter(
        ({ author, threadId, replyToId }) =>
          author.id === message.authorId && threadId === message.threadId && replyToId === message.replyToId,
      );
    const named = candidates.find(({ messageId }) => messageId === message.id);
    const [longest] = candidates
      .filter(({ text, start }) => (start === 0 ? message.content.startsWith(text) : message.content.includes(text)))
      .sort((one, other) => other.text.length - one.text.length);
    const reply = named ?? longest;
    if (!reply) return;
    if (this.shown.has(reply.key)) this.watchedMessages.add(message.id);
    this.remove(reply.key);
  }

  private put(reply: Reply, forMs: number): void {
    const list = this.list.peek();
    const isNew = !list.some(({ key }) => key === reply.key);
    this.list.value = isNew ? [...list, reply] : list.map((other) => (other.key === reply.key ? reply : other));
    this.timers.get(reply.key)?.();
    this.timers.set(
      reply.key,
      this.core.scope.after(forMs, () => this.remove(reply.key)),
    );
  }

  private remove(key: string): void {
    this.timers.get(key)?.();
    this.timers.delete(key);
    const list = this.list.peek();
    if (list.some((reply) => reply.key === key)) this.list.value = list.filter((one) => one.key !== key);
  }
}

type Span = Pick<Reply, 'text' | 'start' | 'position'>;

/** What is known of a reply, with its next piece. */
function joined(known: Span | undefined, { offset, delta = '', soFar = false }: Piece): Span {
  if (offset === undefined) return { text: (known?.text ?? '') + delta, start: known?.start, position: undefined };
  const position = offset + delta.length;
  const { text = '', start, position: end } = known ?? {};
  const isOverlapping = start !== undefined && end !== undefined && start <= position && offset <= end;
  // Pieces may have come before the text that preceded them.
  if (soFar && isOverlapping && end > position)
    return { text: delta + text.slice(position - start), start: 0, position: end };
  if (soFar || !isOverlapping || offset < start) return { text: delta, start: offset, position };
  return { text: text.slice(0, offset - start) + delta, start, position };
}
