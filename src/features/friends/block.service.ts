import { anyUserById, userById } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { Block } from '../../database/entities/friendship.entity.ts';
import { smallUser, smallUserColumns } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import type { FriendService } from './friend.service.ts';
import { type BlockRecord, blockRecord } from './friend.view.ts';

/** How many people one user may block. */
const maxBlocks = 2000;

interface Deps extends Pick<Context, 'database' | 'changes' | 'directAccess'> {
  friends: FriendService;
}

/** Who has blocked whom (contract §13, Blocks). */
export class BlockService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Whom the actor blocks. */
  async list(actor: Actor): Promise<BlockRecord[]> {
    const blocks = await this.deps.database.db
      .selectFrom('Block as b')
      .innerJoin('User as u', 'u.id', 'b.blockedId')
      .where('b.userId', '=', actor.userId)
      .orderBy('b.createdAt', 'desc')
      .orderBy('b.blockedId')
      .select([...smallUserColumns, 'b.createdAt'])
      .execute();
    return blocks.map((block) => blockRecord(block, smallUser(block)));
  }

  /**
   * Blocks someone: ends friendship and requests, and neither can open or write DMs to the other. Idempotent.
   * @throws AppError USER_NOT_FOUND, OWN_USER, BLOCK_LIMIT
   */
  async block(actor: Actor, userId: string): Promise<BlockRecord> {
    if (userId === actor.userId) throw new AppError('OWN_USER');
    return this.deps.changes.run(async (change) => {
      const user = await userById(change.rows, userId);
      await change.lock(userRoom(actor.userId), userRoom(userId));
      // One who is blocked already does not count twice.
      const others = await change.em.count(Block, { userId: actor.userId, blockedId: { $ne: userId } });
      if (others >= maxBlocks) throw new AppError('BLOCK_LIMIT');
      const ids = { userId: actor.userId, blockedId: userId };
      const block = (await change.em.findOne(Block, ids)) ?? change.em.create(Block, ids);
      await change.em.flush();
      await this.deps.friends.endBetween(change, actor.userId, userId);
      change.afterCommit(() => this.deps.directAccess.forgetBetween(actor.userId, userId));
      return blockRecord(block, user);
    });
  }

  /** Idempotent. @throws AppError USER_NOT_FOUND */
  async unblock(actor: Actor, userId: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      await anyUserById(change.rows, userId);
      await change.em.nativeDelete(Block, { userId: actor.userId, blockedId: userId });
      change.afterCommit(() => this.deps.directAccess.forgetBetween(actor.userId, userId));
    });
  }
}
