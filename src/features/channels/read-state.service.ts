import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { channelRead, type markReadSchema, type readStateSchema } from '../../contract/read-state.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { hasUnreadIn } from '../../jobs/notification.table.ts';
import { markChannelNoticesRead } from '../../jobs/reading.ts';
import type { Context } from '../context.ts';
import { countUnread, messageSeq, moveReadPointer, readPointer } from '../members/channel.table.ts';
import type { Receipts } from '../receipts/receipts.ts';

type ReadState = z.output<typeof readStateSchema>;

interface Deps extends Pick<Context, 'changes' | 'channelAccess'> {
  receipts: Receipts;
}

/** How far each user has read (contract §5). */
export class ReadStateService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Moves the actor's pointer to a message or a number of the channel's log, and settles the notifications up to there. This
   * never moves it back, nor past the head, nor where it went back since the device heard of it.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, MESSAGE_NOT_FOUND
   */
  async markRead(actor: Actor, channelId: string, input: z.output<typeof markReadSchema>): Promise<ReadState> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      const seq = input.seq ?? (await messageSeq(change.rows, channelId, input.messageId ?? ''));
      if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
      const moved = await moveReadPointer(change.rows, channelId, actor.userId, seq, input.knownSeq);
      await this.settle(change, actor.userId, channelId, moved);
      const state = await stateOf(change.rows, channelId, actor.userId);
      if (moved) {
        change.publish(channelRead.in(userRoom(actor.userId), state));
        change.afterCommit(() => void this.deps.receipts.note(channelId, actor.userId));
      }
      return state;
    });
  }

  /** Those that were there before, too; nothing is locked where nothing changes. */
  private async settle(change: Change, userId: string, channelId: string, moved: boolean): Promise<void> {
    const { rows } = change;
    if (!moved && !(await hasUnreadIn(rows, userId, channelId))) return;
    // From here on what is made for this user finds the pointer.
    await change.lock(userRoom(userId));
    await markChannelNoticesRead(change, userId, { channelId, seq: await readPointer(rows, channelId, userId) });
  }
}

async function stateOf(rows: Rows, channelId: string, userId: string): Promise<ReadState> {
  const lastReadSeq = await readPointer(rows, channelId, userId);
  return { channelId, lastReadSeq, unreadCount: await countUnread(rows, channelId, userId, lastReadSeq) };
}
