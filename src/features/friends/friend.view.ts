import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { blockSchema, friendshipSchema } from '../../contract/friend.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Block, Friendship } from '../../database/entities/friendship.entity.ts';

export type FriendshipRecord = z.input<typeof friendshipSchema>;
export type BlockRecord = z.input<typeof blockSchema>;

/** @param viewerId one of the two; @param user the other */
export function friendshipRecord(friendship: Friendship, viewerId: string, user: SmallUser): FriendshipRecord {
  const { id, requesterId, status, createdAt, updatedAt } = friendship;
  return {
    id,
    friendshipId: id,
    requesterId,
    addresseeId: otherOf(friendship, requesterId),
    userId: viewerId,
    friendId: user.id,
    status,
    user,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** The person of the pair who is not `userId`. */
export function otherOf({ lowId, highId }: Pick<Friendship, 'lowId' | 'highId'>, userId: string): string {
  return lowId === userId ? highId : lowId;
}

/** @param user the blocked one */
export function blockRecord({ createdAt }: Pick<Block, 'createdAt'>, user: SmallUser): BlockRecord {
  return { userId: user.id, user, createdAt: isoTime(createdAt) };
}
