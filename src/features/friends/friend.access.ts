import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { pairOf } from '../../database/array-text.ts';
import { Block, Friendship } from '../../database/entities/friendship.entity.ts';

/** The relation between two people, if any. */
export async function betweenThem(em: EntityManager, one: string, other: string): Promise<Friendship | null> {
  const { low, high } = pairOf(one, other);
  return em.findOne(Friendship, { lowId: low, highId: high }, { refresh: true });
}

/** A friendship or request of the actor's; to others it does not exist. @throws AppError FRIENDSHIP_NOT_FOUND */
export async function ownFriendship(em: EntityManager, actor: Actor, id: string): Promise<Friendship> {
  const friendship = await em.findOne(Friendship, id, { refresh: true });
  if (!friendship || (friendship.lowId !== actor.userId && friendship.highId !== actor.userId)) {
    throw new AppError('FRIENDSHIP_NOT_FOUND');
  }
  return friendship;
}

/**
 * Keeps people from contacting anyone who blocked them, without revealing it.
 * @throws AppError USER_NOT_FOUND when the actor is blocked, USER_BLOCKED when it blocked the other
 */
export async function requireNoBlock(em: EntityManager, actor: Actor, ...otherIds: string[]): Promise<void> {
  const own = actor.userId;
  const blocks = await em.find(Block, {
    $or: [
      { userId: own, blockedId: otherIds },
      { userId: otherIds, blockedId: own },
    ],
  });
  if (blocks.some(({ userId }) => userId !== own)) throw new AppError('USER_NOT_FOUND');
  if (blocks.length > 0) throw new AppError('USER_BLOCKED');
}
