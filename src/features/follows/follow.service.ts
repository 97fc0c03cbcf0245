import { MAX, NIL } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  type inboxSchema,
  type listFollowedSchema,
  threadState,
  type unreadFromSchema,
  type unreadThreadSchema,
} from '../../contract/follow.ts';
import { channelRead, type markReadSchema } from '../../contract/read-state.ts';
import { userRoom } from '../../contract/rooms.ts';
import { isUuid } from '../../contract/schema.ts';
import type { Change } from '../../delivery/changes.ts';
import { markThreadNoticesRead, markThreadsNoticesRead } from '../../jobs/reading.ts';
import type { Context } from '../context.ts';
import { countUnread, moveReadPointerBack, readPointer } from '../members/channel.table.ts';
import type { MessageAccess } from '../messages/message.access.ts';
import { type Entry, followTable } from './follow.table.ts';
import { followedRecord, type StateRow, stateRecord, type ThreadState } from './follow.view.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess' | 'threadAccess'> {
  messageAccess: MessageAccess;
}

/** How many threads one change marks as read. */
const portion = 100;
/** Before the first entry of a list. */
const start: Entry = { threadId: MAX, isUnread: true, activeAt: 'infinity' };

/** Who follows which threads, how far they have read them, and what is unread (contract §6). */
export class FollowService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The threads that the actor follows, or has muted, unread ones first. @throws AppError INVALID_CURSOR, FORBIDDEN */
  async list(actor: Actor, query: z.output<typeof listFollowedSchema>): Promise<z.output<typeof inboxSchema>> {
    requirePerson(actor);
    const { state, limit, cursor } = query;
    const after = cursor === undefined ? start : entryAt(cursor);
    return this.deps.database.readCurrent(async ({ rows }) => {
      const found = await followTable.page(rows, actor.userId, state, after, limit + 1);
      const entries = found.slice(0, limit);
      const ids = entries.map(({ threadId }) => threadId);
      const unreadThreads = await followTable.countUnread(rows, actor.userId);
      const rowsOf = await followTable.details(rows, actor.userId, ids);
      const details = new Map(rowsOf.map((row) => [row.id, row]));
      const threads = (await followTable.ofUser(rows, actor.userId, ids)).flatMap((row) => {
        const detail = details.get(row.threadId);
        return detail ? [followedRecord(row, detail)] : [];
      });
      const last = found.length > limit ? entries.at(-1) : undefined;
      return { threads, unreadThreads, cursor: last ? cursorOf(last) : null };
    });
  }

  /** The threads of a channel with unread replies. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN */
  async unreadIn(actor: Actor, channelId: string): Promise<z.output<typeof unreadThreadSchema>[]> {
    requirePerson(actor);
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.database.readCurrent(async ({ rows }) => {
      const ids = await followTable.unreadIn(rows, actor.userId, channelId);
      const states = await followTable.ofUser(rows, actor.userId, ids);
      return states
        .filter(({ unreadCount }) => unreadCount > 0)
        .map((row) => ({ ...stateRecord(row), parentMessageId: row.parentMessageId }));
    });
  }

  /** @throws AppError THREAD_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN */
  async state(actor: Actor, threadId: string): Promise<ThreadState> {
    requirePerson(actor);
    await this.deps.threadAccess.readable(actor, threadId);
    const [row] = await followTable.ofUser(this.deps.database.rows, actor.userId, [threadId]);
    return stateRecord(existing(row));
  }

  /** @throws AppError like `state` */
  follow(actor: Actor, threadId: string, isMuted: boolean): Promise<ThreadState> {
    const state = isMuted ? 'muted' : 'following';
    return this.change(actor, threadId, ({ rows }) => followTable.follow(rows, threadId, actor.userId, state));
  }

  /** @throws AppError like `state` */
  unfollow(actor: Actor, threadId: string): Promise<ThreadState> {
    return this.change(actor, threadId, ({ rows }) => followTable.unfollow(rows, threadId, actor.userId));
  }

  /**
   * Moves the actor's pointer in a thread on, unless it went back since the device heard of it, and settles the thread's
   * notifications up to there.
   * @throws AppError like `state`, MESSAGE_NOT_FOUND
   */
  markRead(actor: Actor, threadId: string, input: z.output<typeof markReadSchema>): Promise<ThreadState> {
    return this.change(actor, threadId, async (change, { channelId }) => {
      const { rows } = change;
      const seq = input.seq ?? (await followTable.seqOf(rows, threadId, input.messageId ?? ''));
      if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
      const to = { seq, knownSeq: input.knownSeq ?? null };
      const readSeq = await followTable.read(rows, threadId, actor.userId, to);
      if (readSeq === undefined) return;
      await markThreadNoticesRead(change, actor.userId, { channelId, threadId, seq: readSeq });
    });
  }

  /** All threads that the actor follows, some in each change. @returns how many were unread @throws AppError FORBIDDEN */
  async markAllRead(actor: Actor): Promise<number> {
    requirePerson(actor);
    let updated = 0;
    let after: string | undefined = NIL;
    while (after !== undefined) {
      const ids = await this.markSomeRead(actor, after);
      updated += ids.length;
      after = ids.length === portion ? ids.at(-1) : undefined;
    }
    return updated;
  }

  private async markSomeRead({ userId }: Actor, after: string): Promise<string[]> {
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      await change.lock(userRoom(userId));
      const ids = await followTable.unreadOf(rows, userId, after, portion);
      if (ids.length === 0) return ids;
      await markThreadsNoticesRead(change, userId, await followTable.readAll(rows, userId, ids));
      for (const row of await followTable.ofUser(rows, userId, ids)) {
        change.publish(threadState.in(userRoom(userId), stateRecord(row)));
      }
      return ids;
    });
  }

  /**
   * Marks a message and all after it as unread: the pointer of its thread, or of its channel, goes back (contract §5).
   * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, FORBIDDEN
   */
  async markUnread(actor: Actor, messageId: string): Promise<z.output<typeof unreadFromSchema>> {
    requirePerson(actor);
    const { row, channel } = await this.deps.messageAccess.readable(actor, messageId);
    if (row.thread_id === null) return this.unreadInChannel(actor, channel.id, row.seq);
    const threadId = row.thread_id;
    const state = await this.change(
      actor,
      threadId,
      async ({ rows }, { lastReadSeq }) => {
        if (lastReadSeq >= row.seq) await followTable.unread(rows, threadId, actor.userId, row.seq);
      },
      true,
    );
    const { channelId, lastReadSeq, unreadCount } = state;
    return { channelId, threadId, lastReadSeq, unreadCount };
  }

  private async unreadInChannel(actor: Actor, channelId: string, seq: number) {
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const isMoved = await moveReadPointerBack(rows, channelId, actor.userId, seq);
      const lastReadSeq = await readPointer(rows, channelId, actor.userId);
      const unreadCount = await countUnread(rows, channelId, actor.userId, lastReadSeq);
      const state = { channelId, lastReadSeq, unreadCount };
      if (isMoved) change.publish(channelRead.in(userRoom(actor.userId), { ...state, back: true }));
      return { ...state, threadId: null };
    });
  }

  /** Changes where the actor stands in a thread, and tells their devices if it is different then. */
  private async change(
    actor: Actor,
    threadId: string,
    work: (change: Change, before: ThreadState) => Promise<void>,
    isBack = false,
  ): Promise<ThreadState> {
    requirePerson(actor);
    await this.deps.threadAccess.readable(actor, threadId);
    return this.deps.changes.run(async (change) => {
      const { rows } = change;
      const room = userRoom(actor.userId);
      // What notifies this user of replies takes the same lock, and reads where they stand under it.
      await change.lock(room);
      const stateNow = async () => stateRecord(existing((await followTable.ofUser(rows, actor.userId, [threadId]))[0]));
      const before = await stateNow();
      await work(change, before);
      await followTable.recount(rows, threadId, [actor.userId]);
      const after = await stateNow();
      const isChanged = after.state !== before.state || after.lastReadSeq !== before.lastReadSeq;
      if (isChanged) change.publish(threadState.in(room, isBack ? { ...after, back: true } : after));
      return after;
    });
  }
}

/** Bots follow nothing, and have read nothing. @throws AppError FORBIDDEN */
function requirePerson(actor: Actor): void {
  if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots follow no threads.' });
}

/** @throws AppError THREAD_NOT_FOUND */
function existing(row: StateRow | undefined): StateRow {
  if (!row) throw new AppError('THREAD_NOT_FOUND');
  return row;
}

/** What is read meanwhile moves in the list, so a cursor says where its entry was. */
function cursorOf({ threadId, isUnread, activeAt }: Entry): string {
  return `${isUnread ? 1 : 0}.${new Date(activeAt).getTime()}.${threadId}`;
}

function entryAt(cursor: string): Entry {
  const [, flag, ms, threadId] = /^([01])\.(\d{1,15})\.(.+)$/.exec(cursor) ?? [];
  if (ms === undefined || threadId === undefined || !isUuid(threadId)) throw new AppError('INVALID_CURSOR');
  return { threadId, isUnread: flag === '1', activeAt: new Date(Number(ms)) };
}
