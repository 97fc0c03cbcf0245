import { anyUserById, userById } from '../../access/user.reader.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { userRoom } from '../../contract/rooms.ts';
import { countOf } from '../../database/statements.ts';
import type { Context } from '../context.ts';
import type { FriendService } from './friend.service.ts';
import { type BlockRecord, blockRecord, type OtherColumns } from './friend.view.ts';

const ofUser = `SELECT u.id AS other_id, u.username, u.display_name, u.avatar_url, u.is_bot, b.created_at
  FROM blocks b JOIN users u ON u.id = b.blocked_id WHERE b.user_id = $1 ORDER BY b.created_at DESC, b.blocked_id`;
const countOthers = 'SELECT count(*)::int AS count FROM blocks WHERE user_id = $1 AND blocked_id <> $2';

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
    const rows = await this.deps.database.rows<OtherColumns & { created_at: Date | string }>(ofUser, [actor.userId]);
    return rows.map(blockRecord);
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
      const others = await countOf(change.rows, countOthers, [actor.userId, userId]);
      if (others >= maxBlocks) throw new AppError('BLOCK_LIMIT');
      const [row] = await change.rows<{ created_at: Date | string }>(
        `INSERT INTO blocks (user_id, blocked_id, created_at) VALUES ($1, $2, now())
         ON CONFLICT (user_id, blocked_id) DO UPDATE SET created_at = blocks.created_at RETURNING created_at`,
        [actor.userId, userId],
      );
      if (!row) throw new Error('A block was not written.');
      await this.deps.friends.endBetween(change, actor.userId, userId);
      change.afterCommit(() => this.deps.directAccess.forgetBetween(actor.userId, userId));
      return { userId, user, createdAt: new Date(row.created_at).toISOString() };
    });
  }

  /** Idempotent. @throws AppError USER_NOT_FOUND */
  async unblock(actor: Actor, userId: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      await anyUserById(change.rows, userId);
      await change.rows('DELETE FROM blocks WHERE user_id = $1 AND blocked_id = $2', [actor.userId, userId]);
      change.afterCommit(() => this.deps.directAccess.forgetBetween(actor.userId, userId));
    });
  }
}
