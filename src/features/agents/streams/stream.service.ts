import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { ChannelWithRights } from '../../../access/channel.access.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { maxContent } from '../../../contract/message.ts';
import { channelRoom, threadRoom } from '../../../contract/rooms.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import { messageStream, type streamSchema } from '../../../contract/stream.ts';
import { isBlank } from '../../../contract/unicode/visible.ts';
import { atMost } from '../../../infrastructure/cache.ts';
import type { Context } from '../../context.ts';
import type { Filters } from '../../filters/filters.ts';
import type { LoopGuard } from '../../messages/loop-guard.ts';
import type { MessageService } from '../../messages/message.service.ts';
import type { MessageRecord } from '../../messages/message.view.ts';
import { requireNotSlowed } from '../../messages/slow-mode.ts';
import { StreamGuard } from './stream.guard.ts';
import { cutKnownMs, StreamLeases, type StreamPlace } from './stream.leases.ts';

type Piece = z.output<typeof streamSchema>;

interface OpenStream {
  place: StreamPlace;
  content: string;
  replyToId: string | null;
  /** The sender's socket. */
  socketId: string;
  /** Pieces are missing here: another node got them, they preceded an early end, or they were lost. */
  broken: boolean;
  /** When its lease was renewed last, in ms. */
  leasedAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Null: nothing is kept from others. */
  guard: StreamGuard | null;
}

const maxOpenPerBot = 20;
const maxEnded = 10_000;
const renewMs = 1000;

interface Deps
  extends Pick<Context, 'database' | 'channelAccess' | 'threadAccess' | 'ephemeral' | 'redis' | 'settings'> {
  filters: Filters;
  messages: MessageService;
  loopGuard: LoopGuard;
}

/**
 * Replies shown while in progress (contract §9): pieces are relayed and not stored, and in the end the whole becomes one
 * message. A reply that is not continued is ended for everyone.
 */
export class ReplyStreams {
  private readonly deps: Deps;
  private readonly idleMs: number;
  private readonly leases: StreamLeases;
  private readonly open = new Map<string, OpenStream>();
  /** Replies that were ended too early, by author: further pieces of them are not the whole. */
  private readonly ended = new LRUCache<string, true>({ ...atMost(maxEnded), ttl: cutKnownMs });

  constructor(deps: Deps) {
    this.deps = deps;
    this.idleMs = deps.settings.agents.streamIdleSeconds * 1000;
    this.leases = new StreamLeases(deps.redis, (place) => this.publishAborted(place));
  }

  /**
   * Takes the next piece of a reply. With `done` the reply becomes a message; repeating that returns the same one.
   * @param socketId the sender's, which the broadcast skips
   * @throws AppError FORBIDDEN for people, STREAM_LIMIT, STREAM_BROKEN, MESSAGE_REFUSED where filters end it, and as MessageService.send
   */
  async push(actor: Actor, piece: Piece, socketId: string): Promise<MessageRecord | undefined> {
    if (!actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Only bots stream their messages.' });
    // Checked for each piece, so that a bot that may no longer write is silenced at once.
    const postable = this.deps.channelAccess.postable(actor, piece.channelId);
    const channel = await postable.catch((error) => this.cutShort(actor, piece, error));
    const known = this.open.get(keyOf(actor, piece));
    // The response to its `done` was lost: it must not be checked, shown or counted again.
    const said =
      piece.done && !known ? await this.deps.messages.sentWith(actor, piece.channelId, onceKey(piece)) : undefined;
    if (said) return said;
    const stream = known ?? (await this.begin(actor, channel, piece, socketId));
    stream.socketId = socketId;
    const offset = take(stream, piece);
    if (stream.content.length > maxContent) {
      this.abort(keyOf(actor, piece), stream);
      throw invalid([
        { path: 'delta', message: `must leave the whole at most ${maxContent} characters`, code: 'too_big' },
      ]);
    }
    this.show(actor, piece, stream, offset);
    // `done` renews the lease too: the message may have to wait for others.
    this.carryOn(keyOf(actor, piece), stream);
    return piece.done ? this.finish(actor, piece, stream) : undefined;
  }

  /** For nodes with sockets: others have nobody to notify of the end. */
  start(): void {
    this.leases.start();
  }

  close(): void {
    this.leases.close();
    for (const { timer } of this.open.values()) clearTimeout(timer);
  }

  private async begin(actor: Actor, channel: ChannelWithRights, piece: Piece, socketId: string): Promise<OpenStream> {
    const { channelId, streamId, threadId = null, replyToId = null } = piece;
    await requireNotSlowed(this.deps.database.rows, actor, channel);
    if (threadId !== null) await this.deps.threadAccess.requirePostable(actor, channelId, threadId);
    await this.deps.loopGuard.check(actor, channelId, threadId);
    const watched = await this.deps.filters.watch(actor, channel);
    const place = { userId: actor.userId, streamId, channelId, threadId };
    const key = keyOf(actor, piece);
    const isEnded = this.ended.has(key) || this.ended.has(`${key} ${socketId}`);
    const broken = isEnded || (await this.leases.hasBegun(place));
    // Another piece of it may have arrived during the checks.
    const known = this.open.get(key);
    if (known) return known;
    const own = [...this.open.values()].filter(({ place }) => place.userId === actor.userId);
    if (own.length >= maxOpenPerBot) throw new AppError('STREAM_LIMIT', { retryAfter: 5 });
    const stream: OpenStream = {
      place,
      content: '',
      replyToId,
      socketId,
      broken,
      leasedAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
      guard: watched && new StreamGuard(watched),
    };
    this.open.set(key, stream);
    return stream;
  }

  /**
   * Shows a piece to the others, unless filters keep it from them. The whole is judged as any message.
   * @throws AppError MESSAGE_REFUSED: the reply is over
   */
  private show(actor: Actor, piece: Piece, stream: OpenStream, offset: number | undefined): void {
    // The whole replaces all pieces, and is judged without this one.
    if (piece.content !== undefined) return;
    const said = { delta: piece.delta, offset };
    const shown = stream.guard ? stream.guard.pass(stream.content, said) : said;
    if (shown === false && !piece.done) {
      this.abort(keyOf(actor, piece), stream);
      throw new AppError('MESSAGE_REFUSED');
    }
    if (shown && (shown.delta !== '' || !piece.done)) {
      this.emit(actor, stream, { ...shown, done: false }, stream.socketId);
    }
  }

  private async finish(actor: Actor, piece: Piece, stream: OpenStream): Promise<MessageRecord> {
    const key = keyOf(actor, piece);
    if (stream.broken && piece.content === undefined) throw new AppError('STREAM_BROKEN');
    try {
      const message = await this.messageOf(actor, piece, stream);
      this.forget(key, stream);
      this.emit(actor, stream, { done: true, messageId: message.id });
      return message;
    } catch (error) {
      // What failed on our side can be retried; the pieces are still here.
      if (error instanceof AppError && error.status < 500) this.abort(key, stream);
      throw error;
    }
  }

  private async messageOf(
    actor: Actor,
    piece: Piece,
    { place, content, replyToId }: OpenStream,
  ): Promise<MessageRecord> {
    const { channelId, threadId } = place;
    if (isBlank(content)) {
      throw invalid([{ path: 'delta', message: 'must not leave the whole empty', code: 'too_small' }]);
    }
    const input = { content, threadId, replyToId: piece.replyToId ?? replyToId };
    return (await this.deps.messages.send(actor, channelId, input, { idempotencyKey: onceKey(piece) })).result;
  }

  private carryOn(key: string, stream: OpenStream): void {
    clearTimeout(stream.timer);
    stream.timer = setTimeout(() => this.giveUp(key, stream), this.idleMs);
    if (performance.now() - stream.leasedAt < renewMs) return;
    stream.leasedAt = performance.now();
    this.leases.carryOn(stream.place, this.idleMs + renewMs);
  }

  /** A reply with a refused piece would have a hole. What failed on our side can be retried. */
  private cutShort(actor: Actor, piece: Piece, error: unknown): never {
    const stream = this.open.get(keyOf(actor, piece));
    if (stream && error instanceof AppError && error.status < 500) this.abort(keyOf(actor, piece), stream);
    throw error;
  }

  /** Ends a refused stream: its sender knows, and may start a new one on another connection. */
  private abort(key: string, stream: OpenStream): void {
    this.forget(key, stream);
    this.ended.set(`${key} ${stream.socketId}`, true);
    this.publishAborted(stream.place);
  }

  /** Ends an idle stream. Its bot may not know, and may continue it from any node after a reconnect. */
  private giveUp(key: string, stream: OpenStream): void {
    this.open.delete(key);
    this.ended.set(key, true);
    this.leases.cut(stream.place);
    this.publishAborted(stream.place);
  }

  private forget(key: string, stream: OpenStream): void {
    clearTimeout(stream.timer);
    this.open.delete(key);
    this.ended.delete(key);
    this.leases.end(stream.place);
  }

  private emit(
    actor: Actor,
    { place, replyToId }: OpenStream,
    more: { done: boolean; delta?: string; offset?: number | undefined; messageId?: string },
    exceptSocket?: string,
  ): void {
    const data = { ...place, author: actor.user, replyToId, ...more };
    this.deps.ephemeral.emit(roomsOf(place), messageStream, data, exceptSocket);
  }

  private publishAborted(place: StreamPlace): void {
    this.deps.ephemeral.emit(roomsOf(place), messageStream, { ...place, done: true, aborted: true });
  }
}

/** Inserts a piece at its position. @returns its offset; undefined if earlier pieces are missing */
function take(stream: OpenStream, piece: Piece): number | undefined {
  const at = piece.offset ?? stream.content.length;
  stream.broken = piece.offset !== 0 && (stream.broken || at > stream.content.length);
  // Where pieces are missing, others see one after the other, whatever they replace: so it is judged, too.
  const before = stream.broken ? stream.content : stream.content.slice(0, at);
  stream.content = piece.content ?? before + piece.delta;
  return stream.broken ? undefined : at;
}

/** Makes the message of a reply idempotent. */
const onceKey = ({ streamId }: Piece) => `stream ${streamId}`;

const keyOf = (actor: Actor, { channelId, streamId }: Piece) => `${actor.userId} ${channelId} ${streamId}`;

function roomsOf({ channelId, threadId }: StreamPlace): string[] {
  return threadId === null ? [channelRoom(channelId)] : [channelRoom(channelId), threadRoom(threadId)];
}
