import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  channelReceipts,
  type channelReceiptsSchema,
  receiptChoiceChanged,
  type receiptChoiceSchema,
} from '../../contract/read-receipt.ts';
import { userRoom } from '../../contract/rooms.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Cache } from '../../infrastructure/cache.ts';
import type { Context } from '../context.ts';
import { blocksAmong, choose, type Reader, readersOf, sendersAmong, shownIn } from './receipt.table.ts';

/** Positions that change in so short a time are told together. */
const flushMs = 1000;
/** In how many places at once. */
const placesAtOnce = 100;
/** In how many places others are told at once that someone sends none any more. */
const mostPlaces = 1000;
const choiceCache = 'receipt-choices';

type Choice = z.output<typeof receiptChoiceSchema>;
type Told = z.input<typeof channelReceipts.payload>['receipts'][number];

type Deps = Pick<Context, 'database' | 'changes' | 'caches' | 'channelAccess' | 'ephemeral' | 'settings' | 'log'>;

/**
 * How far others have read, in direct messages and private channels of few people, among those who show it (contract §7).
 * Whom a position is shown to is read from the database at the moment in which it is sent.
 */
export class Receipts {
  private readonly deps: Deps;
  private readonly choices: Cache<Choice>;
  private readonly choiceReads: BatchedRead<Choice>;
  /** Channel → who has read on there. */
  private pending = new Map<string, Set<string>>();
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(deps: Deps) {
    this.deps = deps;
    this.choices = deps.caches.create(choiceCache, 50_000);
    this.choiceReads = new BatchedRead(async (ids) => {
      const senders = await sendersAmong(deps.database.committedRows, ids);
      return new Map(ids.map((id) => [id, { sendsReceipts: senders.has(id) }]));
    });
  }

  async choice({ userId }: Actor): Promise<Choice> {
    const senders = await sendersAmong(this.deps.database.rows, [userId]);
    return { sendsReceipts: senders.has(userId) };
  }

  /** Turns them on or off, both ways. @throws AppError FORBIDDEN for bots */
  async choose({ userId, user }: Actor, { sendsReceipts }: Choice): Promise<Choice> {
    if (user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots send no read receipts.' });
    await this.deps.changes.run(async (change) => {
      if (!(await choose(change.rows, userId, sendsReceipts))) return;
      change.afterCommit(() => this.deps.caches.forget(choiceCache, [userId]));
      change.afterCommit(() => this.deps.ephemeral.emit([userRoom(userId)], receiptChoiceChanged, { sendsReceipts }));
      if (!sendsReceipts) change.afterCommit(() => this.withdraw(userId));
    });
    return { sendsReceipts };
  }

  /** @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN for bots that may not read it */
  async of(actor: Actor, channelId: string): Promise<z.output<typeof channelReceiptsSchema>> {
    await this.deps.channelAccess.readable(actor, channelId);
    const { rows } = this.deps.database;
    const people = (await readersOf(rows, [channelId], this.most)).get(channelId);
    const isShown = people?.some(({ userId, sends }) => sends && userId === actor.userId) ?? false;
    const senders = isShown && people ? people.filter(({ sends }) => sends) : [];
    const apart = senders.length > 1 ? await this.apart([senders]) : new Set<string>();
    const others = senders.filter(({ userId }) => userId !== actor.userId && !apart.has(`${userId} ${actor.userId}`));
    const receipts = others.map(({ userId, lastReadSeq }) => ({ userId, lastReadSeq }));
    return { channelId, isOffered: people !== undefined, receipts };
  }

  /** Someone has read on. Others are told soon, if that is shown to them then. */
  async note(channelId: string, userId: string): Promise<void> {
    try {
      const choice = await this.choices.get(userId, () => this.choiceReads.read(userId));
      if (!choice?.sendsReceipts || this.isClosed) return;
      const { isPrivate } = await this.deps.channelAccess.find(channelId);
      if (!isPrivate) return;
      this.pending.set(channelId, (this.pending.get(channelId) ?? new Set()).add(userId));
      this.timer ??= setTimeout(() => void this.flush(), flushMs).unref();
    } catch (error) {
      this.deps.log.debug({ err: error }, 'A read receipt was not sent.');
    }
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private get most(): number {
    return this.deps.settings.limits.receiptPeople;
  }

  private async flush(): Promise<void> {
    const all = [...this.pending];
    this.pending = new Map();
    this.timer = undefined;
    for (let at = 0; at < all.length; at += placesAtOnce) {
      const some = new Map(all.slice(at, at + placesAtOnce));
      await this.tell([...some.keys()], ({ channelId, userId, sends, lastReadSeq }) =>
        sends && some.get(channelId)?.has(userId) ? { userId, lastReadSeq } : null,
      );
    }
  }

  /** Someone's positions are shown no more; those who saw them are told so. */
  private async withdraw(userId: string): Promise<void> {
    for (const told of this.pending.values()) told.delete(userId);
    const places = await shownIn(this.deps.database.rows, userId, mostPlaces).catch(() => []);
    for (let at = 0; at < places.length; at += placesAtOnce) {
      await this.tell(places.slice(at, at + placesAtOnce), (reader) =>
        reader.userId === userId && !reader.sends ? { userId, lastReadSeq: null } : null,
      );
    }
  }

  /** Tells those in each place who send receipts themselves. @param about what there is to be told of someone */
  private async tell(channelIds: string[], about: (reader: Reader) => Told | null): Promise<void> {
    try {
      const places = await readersOf(this.deps.database.rows, channelIds, this.most);
      const apart = await this.apart([...places.values()]);
      for (const [channelId, people] of places) {
        const news = people.flatMap((reader) => about(reader) ?? []);
        if (news.length === 0) continue;
        for (const { userId } of people.filter(({ sends }) => sends)) {
          const receipts = news.filter((one) => one.userId !== userId && !apart.has(`${one.userId} ${userId}`));
          if (receipts.length > 0) {
            this.deps.ephemeral.emit([userRoom(userId)], channelReceipts, { channelId, receipts });
          }
        }
      }
    } catch (error) {
      this.deps.log.debug({ err: error }, 'Read receipts were not sent.');
    }
  }

  /** Those who are shown nothing of each other, since one has blocked the other: `<id> <id>`, both ways. */
  private async apart(places: Reader[][]): Promise<Set<string>> {
    const people = [...new Set(places.flat().map(({ userId }) => userId))];
    const blocks = await blocksAmong(this.deps.database.rows, people);
    return new Set(blocks.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]));
  }
}
