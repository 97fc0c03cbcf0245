import { LRUCache } from 'lru-cache';
import type { ChannelWithRights } from '../../../access/channel.access.ts';
import type { Actor } from '../../../contract/actor.ts';
import { AppError } from '../../../contract/errors.ts';
import { maxContent } from '../../../contract/message.ts';
import { requireNoRehearsal } from '../../../contract/rehearsal.ts';
import { invalid } from '../../../contract/schema/validation.ts';
import { atMost } from '../../../infrastructure/cache.ts';
import { clock } from '../../../infrastructure/clock.ts';
import type { Context } from '../../context.ts';
import type { Filters } from '../../filters/filters.ts';
import type { LoopGuard } from '../../messages/loop-guard.ts';
import type { MessageService } from '../../messages/message.service.ts';
import type { MessageRecord } from '../../messages/message.view.ts';
import { requireNotSlowed } from '../../messages/slow-mode.ts';
import { guardOf, keyOf, type OpenStream, onceKey, type Piece, take, wholeOf } from './open-stream.ts';
import type { StreamEvents } from './stream.events.ts';
import type { Shown } from './stream.guard.ts';
import { cutKnownMs, type StreamLeases } from './stream.leases.ts';
import { nameOf, type StreamKey, type StreamStore } from './stream.store.ts';
import type { KeptStream } from './stream.table.ts';

/** What a piece came to. */
interface Pushed {
  /** How much of the reply arrived, in UTF-16 units. */
  length: number;
  message?: MessageRecord;
}

const maxOpenPerBot = 20;
const maxEnded = 10_000;
const renewMs = 1000;
/** How often a piece is taken where nodes take pieces of one reply at the same time. */
const attempts = 5;

interface Deps extends Pick<Context, 'database' | 'channelAccess' | 'threadAccess' | 'settings'> {
  filters: Filters;
  messages: MessageService;
  loopGuard: LoopGuard;
  store: StreamStore;
  leases: StreamLeases;
  events: StreamEvents;
}

/**
 * Replies shown while in progress (contract §9): pieces are relayed, the text so far is kept, and in the end the whole
 * becomes one message. Any node continues what another one began. A reply that is not continued is ended for everyone.
 */
export class ReplyStreams {
  private readonly deps: Deps;
  private readonly idleMs: number;
  private readonly open = new Map<string, OpenStream>();
  /** Replies that were ended too early, by author: further pieces of them are not the whole. */
  private readonly ended = new LRUCache<string, true>({ ...atMost(maxEnded), ttl: cutKnownMs });

  constructor(deps: Deps) {
    this.deps = deps;
    this.idleMs = deps.settings.agents.streamIdleSeconds * 1000;
    deps.store.onEnded = (key) => void this.drop(key);
  }

  /**
   * Takes the next piece of a reply. With `done` the reply becomes a message; repeating that returns the same one.
   * @param socketId the sender's, which the broadcast skips; null: it has none
   * @param isServed the server makes the reply itself, in the name of the bot
   * @throws AppError FORBIDDEN for people, INSUFFICIENT_PAT_SCOPE for rehearsals, STREAM_LIMIT, STREAM_BROKEN, STREAM_STOPPED,
   *   MESSAGE_REFUSED where filters end it, and as MessageService.send
   */
  async push(actor: Actor, piece: Piece, socketId: string | null, isServed = false): Promise<Pushed> {
    requireNoRehearsal(actor);
    // Checked for each piece, so that a bot that may no longer write is silenced at once.
    const postable = this.deps.channelAccess.postable(actor, piece.channelId);
    const channel = await postable.catch((error) => this.cutShort(actor, piece, error));
    if (!actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Only bots stream their messages.' });
    const known = this.open.get(keyOf(actor, piece));
    // The response to its `done` was lost: it must not be checked, shown or counted again.
    const said = piece.done && !known ? await this.saidBefore(actor, piece) : undefined;
    if (said) return said;
    const stream = known ?? (await this.begin(actor, channel, piece, { socketId, isServed }));
    const taken = stream.turn.then(() =>
      stream.isOver ? this.push(actor, piece, socketId, isServed) : this.takeIn(actor, piece, stream, socketId),
    );
    stream.turn = taken.catch(() => {});
    return taken;
  }

  /** Shows that a reply goes on, though there is nothing new. @returns false: it has ended, or another node has it */
  async touch(actor: Actor, key: Pick<StreamKey, 'channelId' | 'streamId'>): Promise<boolean> {
    const stream = this.open.get(keyOf(actor, key));
    if (!stream) return false;
    const touching = stream.turn.then(async () => {
      const { outcome, version } = await this.deps.store.keep(stream.kept, stream.version);
      stream.version = version;
      if (outcome !== 'kept') this.letGo(keyOf(actor, key), stream);
      if (stream.isOver) return false;
      this.deps.events.piece(actor, stream.kept, { delta: '', offset: stream.kept.shown });
      this.carryOn(keyOf(actor, key), stream);
      return true;
    });
    stream.turn = touching.catch(() => {});
    return touching;
  }

  /** Forgets a reply that was ended elsewhere. @returns its text, if this node has it */
  drop(key: StreamKey): KeptStream | undefined {
    const stream = this.open.get(nameOf(key));
    if (stream) this.letGo(nameOf(key), stream);
    return stream?.kept;
  }

  /** Those of this node. */
  get here(): KeptStream[] {
    return [...this.open.values()].map(({ kept }) => kept);
  }

  close(): void {
    for (const { timer } of this.open.values()) clearTimeout(timer);
  }

  private async saidBefore(actor: Actor, piece: Piece): Promise<Pushed | undefined> {
    const message = await this.deps.messages.sentWith(actor, piece.channelId, onceKey(piece.streamId));
    return message && { message, length: message.content.length };
  }

  private async begin(
    actor: Actor,
    channel: ChannelWithRights,
    piece: Piece,
    { socketId, isServed }: { socketId: string | null; isServed: boolean },
  ): Promise<OpenStream> {
    const { channelId, streamId, threadId = null, replyToId = null } = piece;
    const key = keyOf(actor, piece);
    const place = { userId: actor.userId, streamId, channelId, threadId };
    const found = await this.deps.store.find(place);
    if (found === 'ended') throw new AppError('STREAM_STOPPED');
    if (!found) await requireNotSlowed(this.deps.database.rows, actor, channel);
    if (threadId !== null) await this.deps.threadAccess.requirePostable(actor, channelId, threadId);
    if (!found) await this.deps.loopGuard.check(actor, channelId, threadId);
    const watched = await this.deps.filters.watch(actor, channel);
    const isEnded = this.ended.has(key) || this.ended.has(`${key} ${socketId}`);
    const isBroken = isEnded || (!found && (await this.deps.leases.hasBegun(place)));
    // Another piece of it may have arrived during the checks.
    const known = this.open.get(key);
    if (known) return known;
    const own = [...this.open.values()].filter(({ kept }) => kept.place.userId === actor.userId);
    if (own.length >= maxOpenPerBot) throw new AppError('STREAM_LIMIT', { retryAfter: 5 });
    const fresh = { place, replyToId, content: '', shown: 0, isBroken, isServed, startedAt: clock.now() };
    const kept = found && !isEnded ? found.kept : fresh;
    const stream: OpenStream = {
      kept,
      version: found?.version ?? 0,
      socketId,
      leasedAt: Number.NEGATIVE_INFINITY,
      timer: undefined,
      watched,
      guard: guardOf(watched, kept),
      turn: Promise.resolve(),
      isOver: false,
    };
    this.open.set(key, stream);
    return stream;
  }

  private async takeIn(actor: Actor, piece: Piece, stream: OpenStream, socketId: string | null): Promise<Pushed> {
    const key = keyOf(actor, piece);
    stream.socketId = socketId;
    for (let attempt = 1; ; attempt++) {
      const before = { ...stream.kept };
      const offset = take(stream.kept, piece);
      if (stream.kept.content.length > maxContent) {
        this.abort(key, stream);
        throw invalid([
          { path: 'delta', message: `must leave the whole at most ${maxContent} characters`, code: 'too_big' },
        ]);
      }
      const shown = this.judge(piece, stream, offset, key);
      if (await this.keep(actor, piece, stream, before)) {
        if (shown) this.deps.events.piece(actor, stream.kept, shown, socketId);
        break;
      }
      if (stream.isOver) return this.afterStop(actor, piece);
      if (attempt === attempts) throw new AppError('SERVER_BUSY');
    }
    // `done` renews the lease too: the message may have to wait for others.
    this.carryOn(key, stream);
    const { length } = stream.kept.content;
    return piece.done ? { length, message: await this.finish(actor, piece, stream) } : { length };
  }

  /** Keeps the text so far. @returns false: another node has taken pieces, and its text is here now; or it is over */
  private async keep(actor: Actor, piece: Piece, stream: OpenStream, before: KeptStream): Promise<boolean> {
    const { outcome, version } = await this.deps.store.keep(stream.kept, stream.version);
    stream.version = version;
    // A person may have stopped it meanwhile, on this node.
    if (outcome === 'kept' && !stream.isOver) return true;
    const found = outcome === 'moved' ? await this.deps.store.inRedis(stream.kept.place) : 'ended';
    if (found === 'ended') {
      this.letGo(keyOf(actor, piece), stream);
      return false;
    }
    stream.kept = found?.kept ?? before;
    stream.version = found?.version ?? 0;
    if (found) stream.guard = guardOf(stream.watched, stream.kept);
    return false;
  }

  /** What a bot learns of a reply that was stopped: with `done` the message that has come of it. */
  private async afterStop(actor: Actor, piece: Piece): Promise<Pushed> {
    const said = piece.done ? await this.saidBefore(actor, piece) : undefined;
    if (!said) throw new AppError('STREAM_STOPPED');
    return said;
  }

  /**
   * @returns what is shown to the others of a piece; null: nothing, for filters keep it from them. The whole is judged as any message.
   * @throws AppError MESSAGE_REFUSED: the reply is over
   */
  private judge(piece: Piece, stream: OpenStream, offset: number | undefined, key: string): Shown | null {
    // The whole replaces all pieces, and is judged without this one.
    if (piece.content !== undefined) return null;
    const { kept, guard } = stream;
    const said = { delta: piece.delta, offset };
    const shown = guard ? guard.pass(kept.content, said) : said;
    if (shown === false && !piece.done) {
      this.abort(key, stream);
      throw new AppError('MESSAGE_REFUSED');
    }
    if (shown !== false) kept.shown = guard?.withheldFrom ?? kept.content.length;
    return shown && (shown.delta !== '' || !piece.done) ? shown : null;
  }

  private async finish(actor: Actor, piece: Piece, stream: OpenStream): Promise<MessageRecord> {
    const key = keyOf(actor, piece);
    if (stream.kept.isBroken && piece.content === undefined) throw new AppError('STREAM_BROKEN');
    try {
      const once = { idempotencyKey: onceKey(piece.streamId) };
      const whole = wholeOf(piece, stream.kept);
      const { result: message } = await this.deps.messages.send(actor, piece.channelId, whole, once);
      this.forget(key, stream);
      this.deps.events.end(stream.kept, { author: actor.user, messageId: message.id });
      return message;
    } catch (error) {
      // What failed on our side can be retried; the pieces are still here.
      if (error instanceof AppError && error.status < 500) this.abort(key, stream);
      throw error;
    }
  }

  private carryOn(key: string, stream: OpenStream): void {
    clearTimeout(stream.timer);
    stream.timer = setTimeout(() => void this.giveUp(key, stream), this.idleMs);
    if (performance.now() - stream.leasedAt < renewMs) return;
    stream.leasedAt = performance.now();
    this.deps.leases.carryOn(stream.kept.place, this.idleMs + renewMs);
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
    this.deps.events.aborted(stream.kept.place, 'refused');
  }

  /** Ends an idle stream. Its bot may not know, and may continue it from any node after a reconnect. */
  private async giveUp(key: string, stream: OpenStream): Promise<void> {
    const { place } = stream.kept;
    const { timer } = stream;
    const isElsewhere = await this.deps.store.isElsewhere(place, stream.version);
    // A piece may have come meanwhile.
    if (stream.isOver || stream.timer !== timer) return;
    this.letGo(key, stream);
    if (isElsewhere) return;
    this.ended.set(key, true);
    this.deps.leases.cut(place);
    this.deps.store.remove(place);
    this.deps.events.aborted(place, 'abandoned');
  }

  private forget(key: string, stream: OpenStream): void {
    this.letGo(key, stream);
    this.ended.delete(key);
    this.deps.leases.end(stream.kept.place);
    this.deps.store.remove(stream.kept.place);
  }

  private letGo(key: string, stream: OpenStream): void {
    clearTimeout(stream.timer);
    stream.isOver = true;
    if (this.open.get(key) === stream) this.open.delete(key);
  }
}
