import type { Chore } from '../../../cluster/chores.ts';
import type { Actor, SmallUser } from '../../../contract/actor.ts';
import { AppError, ifMissing } from '../../../contract/errors.ts';
import { userRoom } from '../../../contract/rooms.ts';
import { type EndReason, streamStopped } from '../../../contract/stream.ts';
import { streamMark } from '../../../contract/stream-mark.ts';
import { isBlank } from '../../../contract/unicode/visible.ts';
import { isUnfitValue } from '../../../database/failures.ts';
import type { AgentIdentity } from '../../accounts/agent.identity.ts';
import type { Context } from '../../context.ts';
import type { MessageService } from '../../messages/message.service.ts';
import { onceKey } from './open-stream.ts';
import type { StreamEvents } from './stream.events.ts';
import type { StreamLeases } from './stream.leases.ts';
import type { ReplyStreams } from './stream.service.ts';
import type { StreamKey, StreamStore } from './stream.store.ts';
import { type Ending, type KeptStream, type StreamPlace, streamTable } from './stream.table.ts';

const atOnce = 50;
/** Longer than a node needs to end its own, and others need to end those of one that died. */
const overdueSeconds = 60;

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'settings' | 'log'> {
  agentIdentity: AgentIdentity;
  messages: MessageService;
  streams: ReplyStreams;
  store: StreamStore;
  leases: StreamLeases;
  events: StreamEvents;
}

/**
 * Ends replies before their end (contract §9): the text so far becomes the message. It is decided in PostgreSQL, once; then no
 * more pieces are let in; then the message is sent, under the same key as that of a reply that ends by itself. If the node dies
 * between them, another one completes it.
 */
export class StreamEnds {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * For people who may write where it is made, and its bot.
   * @throws AppError like `ChannelAccess.postable`, FORBIDDEN for other bots, STREAM_NOT_FOUND
   */
  async stop(
    actor: Actor,
    channelId: string,
    { userId, streamId }: { userId: string; streamId: string },
  ): Promise<void> {
    await this.deps.channelAccess.postable(actor, channelId);
    if (actor.user.isBot && actor.userId !== userId) {
      throw new AppError('FORBIDDEN', { message: 'Bots stop their own replies alone.' });
    }
    await this.end({ userId, channelId, streamId }, 'stopped', actor.user);
  }

  /** Ends a bot's own reply since what made it has failed. @throws AppError STREAM_NOT_FOUND */
  cut(actor: Actor, key: Pick<StreamKey, 'channelId' | 'streamId'>): Promise<void> {
    return this.end({ userId: actor.userId, channelId: key.channelId, streamId: key.streamId }, 'cut', null);
  }

  /** Ends what nodes have left behind that died, and forgets what was stopped long ago. */
  readonly chore: Chore = {
    name: 'end replies that were left behind',
    step: async (rows) => {
      // Apart from this transaction, since ending one of them writes it anew.
      const { committedRows } = this.deps.database;
      const overdue = await streamTable.takeOverdue(committedRows, this.idleSeconds + overdueSeconds, atOnce);
      for (const kept of overdue) {
        await this.endAbandoned(kept.place, kept).catch((error) => this.noteFailure(error, kept.place));
      }
      const unsettled = await streamTable.unsettled(rows, atOnce);
      for (const ending of unsettled) await this.settle(ending).catch((error) => this.later(error, ending.kept.place));
      return overdue.length + unsettled.length + (await streamTable.forget(rows, atOnce));
    },
  };

  /** One that fails must not keep others from their end: it goes behind them. */
  private async later(error: unknown, place: StreamPlace): Promise<void> {
    this.noteFailure(error, place);
    await streamTable.postpone(this.deps.database.committedRows, place);
  }

  private noteFailure(error: unknown, { userId, channelId, streamId }: StreamPlace): void {
    this.deps.log.warn({ err: error, userId, channelId, streamId }, 'A reply that was left behind could not be ended.');
  }

  /** Nobody has continued a reply: its node died, or it was not told of its end. */
  async abandon(place: StreamPlace): Promise<void> {
    await this.endAbandoned(place, await this.textOf(place));
  }

  /** Of one that the server made its text becomes the message; the bot of another one may still send the whole. */
  private async endAbandoned(place: StreamPlace, kept: KeptStream | undefined): Promise<void> {
    if (kept?.isServed) {
      await this.endWith(kept, 'cut', null).catch(ifMissing);
      return;
    }
    this.deps.streams.drop(place);
    this.deps.store.remove(place);
    this.deps.events.aborted(place, 'abandoned');
  }

  private get idleSeconds(): number {
    return this.deps.settings.agents.streamIdleSeconds;
  }

  private async end(key: StreamKey, reason: EndReason, by: SmallUser | null): Promise<void> {
    const kept = await this.textOf(key);
    if (!kept) throw new AppError('STREAM_NOT_FOUND');
    await this.endWith(kept, reason, by);
  }

  /** @throws AppError STREAM_NOT_FOUND */
  private async endWith(kept: KeptStream, reason: EndReason, by: SmallUser | null): Promise<void> {
    const ending = { kept, reason, stoppedBy: by?.id ?? null };
    const isFirst = await this.deps.changes.run(async (change) => {
      const isFirst = await streamTable.end(change.rows, ending);
      if (isFirst && by) change.publish(toldOf(kept, by));
      return isFirst;
    });
    if (!isFirst) throw new AppError('STREAM_NOT_FOUND');
    await this.settle(ending);
  }

  private async textOf(key: StreamKey): Promise<KeptStream | undefined> {
    const there = await this.deps.store.inRedis(key);
    if (there) return there === 'ended' ? undefined : there.kept;
    const here = this.deps.streams.here.find(({ place }) => isSame(place, key));
    if (here) return here;
    const found = await this.deps.store.find(key);
    return found === 'ended' ? undefined : found?.kept;
  }

  /** Makes the message of what was ended. */
  private async settle({ kept, reason, stoppedBy }: Ending): Promise<void> {
    const { streams, store, leases, events, database } = this.deps;
    const here = streams.drop(kept.place);
    // With the pieces that came until now.
    const latest = (await store.end(kept.place)) ?? here ?? kept;
    leases.end(latest.place);
    const messageId = await this.send(latest, reason);
    const by = stoppedBy ?? undefined;
    if (messageId === null) events.aborted(latest.place, reason, by);
    else events.end(latest, { messageId, reason, ...(by ? { stoppedBy: by } : {}) });
    await streamTable.settle(database.rows, latest.place);
  }

  /** @returns null: nothing can come of it, there or in its bot's name. @throws AppError for what can be tried again */
  private async send({ place, content, replyToId, isBroken }: KeptStream, reason: EndReason): Promise<string | null> {
    const bot = await this.deps.agentIdentity.actor(place.userId);
    if (!bot || isBroken || isBlank(content)) return null;
    const { channelId, threadId, streamId } = place;
    const input = { content, threadId, replyToId, metadata: { [streamMark]: reason } };
    try {
      const sent = await this.deps.messages.send(bot, channelId, input, { idempotencyKey: onceKey(streamId) });
      return sent.result.id;
    } catch (error) {
      if (isUnfitValue(error) || (error instanceof AppError && error.status < 500)) return null;
      throw error;
    }
  }
}

const isSame = (place: StreamPlace, key: StreamKey) =>
  place.userId === key.userId && place.channelId === key.channelId && place.streamId === key.streamId;

function toldOf({ place, replyToId }: KeptStream, stoppedBy: SmallUser) {
  const { userId, channelId, threadId, streamId } = place;
  return streamStopped.in(userRoom(userId), { channelId, threadId, streamId, replyToId, stoppedBy });
}
