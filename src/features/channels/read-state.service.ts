import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { channelRead, type markReadSchema, type readStateSchema } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Context } from '../context.ts';
import { countUnread, messageSeq, moveReadPointer, readPointer } from '../members/channel.table.ts';

type ReadState = z.output<typeof readStateSchema>;

type Deps = Pick<Context, 'changes' | 'channelAccess'>;

/** How far each user has read (contract §5). */
export class ReadStateService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Moves the actor's pointer to a message or a number of the channel's log; it never moves back, nor past the head.
   * @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER, MESSAGE_NOT_FOUND
   */
  async markRead(actor: Actor, channelId: string, input: z.output<typeof markReadSchema>): Promise<ReadState> {
    await this.deps.channelAccess.readable(actor, channelId);
    return this.deps.changes.run(async (change) => {
      const seq = input.seq ?? (await messageSeq(change.rows, channelId, input.messageId ?? ''));
      if (seq === undefined) throw new AppError('MESSAGE_NOT_FOUND');
      const moved = await moveReadPointer(change.rows, channelId, actor.userId, seq);
      const state = await stateOf(change.rows, channelId, actor.userId);
      if (moved) change.publish(channelRead.in(userRoom(actor.userId), state));
      return state;
    });
  }
}

async function stateOf(rows: Rows, channelId: string, userId: string): Promise<ReadState> {
  const lastReadSeq = await readPointer(rows, channelId, userId);
  return { channelId, lastReadSeq, unreadCount: await countUnread(rows, channelId, userId, lastReadSeq) };
}
