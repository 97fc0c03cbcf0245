import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { blockSchema, friendshipSchema } from '../../contract/friend.ts';
import { isoTime } from '../../contract/schema.ts';
import type { FriendshipStatus } from '../../database/entities/user.entity.ts';
import { type UserColumns, userOf } from '../accounts/account.view.ts';

export type FriendshipRecord = z.input<typeof friendshipSchema>;
export type BlockRecord = z.input<typeof blockSchema>;

export interface FriendshipRow {
  id: string;
  low_id: string;
  high_id: string;
  requester_id: string;
  status: FriendshipStatus;
  created_at: Date | string;
  updated_at: Date | string;
}

/** The other person of a pair in a row, beside their relation. */
export interface OtherColumns extends UserColumns {
  other_id: string;
}

/** @param viewerId one of the two; @param user the other */
export function friendshipRecord(row: FriendshipRow, viewerId: string, user: SmallUser): FriendshipRecord {
  return {
    id: row.id,
    friendshipId: row.id,
    requesterId: row.requester_id,
    addresseeId: otherOf(row, row.requester_id),
    userId: viewerId,
    friendId: user.id,
    status: row.status,
    user,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/** The person of the pair who is not `userId`. */
export function otherOf(pair: { low_id: string; high_id: string }, userId: string): string {
  return pair.low_id === userId ? pair.high_id : pair.low_id;
}

export function blockRecord(row: OtherColumns & { created_at: Date | string }): BlockRecord {
  return { userId: row.other_id, user: userOf(row.other_id, row), createdAt: isoTime(row.created_at) };
}
