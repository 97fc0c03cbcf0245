import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { pairOf } from '../../database/array-text.ts';
import type { Rows } from '../../database/database.ts';
import type { FriendshipRow } from './friend.view.ts';

const selectFriendships = 'SELECT id, low_id, high_id, requester_id, status, created_at, updated_at FROM friendships';
const byId = `${selectFriendships} WHERE id = $1`;
const byPair = `${selectFriendships} WHERE low_id = $1 AND high_id = $2`;

/** The relation between two people, if any. */
export async function betweenThem(rows: Rows, one: string, other: string): Promise<FriendshipRow | undefined> {
  const { low, high } = pairOf(one, other);
  const [row] = await rows<FriendshipRow>(byPair, [low, high]);
  return row;
}

/** A friendship or request of the actor's; to others it does not exist. @throws AppError FRIENDSHIP_NOT_FOUND */
export async function ownFriendship(rows: Rows, actor: Actor, id: string): Promise<FriendshipRow> {
  const [row] = await rows<FriendshipRow>(byId, [id]);
  if (!row || (row.low_id !== actor.userId && row.high_id !== actor.userId)) {
    throw new AppError('FRIENDSHIP_NOT_FOUND');
  }
  return row;
}

/** Which of two people have blocked the other. */
async function blocksBetween(rows: Rows, one: string, other: string): Promise<string[]> {
  const found = await rows<{ user_id: string }>(
    `SELECT user_id FROM blocks
     WHERE (user_id = $1 AND blocked_id = $2) OR (user_id = $2 AND blocked_id = $1)`,
    [one, other],
  );
  return found.map((row) => row.user_id);
}

/**
 * Keeps people from contacting someone who blocked them, without revealing it.
 * @throws AppError USER_NOT_FOUND when the actor is blocked, USER_BLOCKED when it blocked the other
 */
export async function requireNoBlock(rows: Rows, actor: Actor, otherId: string): Promise<void> {
  const blockers = await blocksBetween(rows, actor.userId, otherId);
  if (blockers.includes(otherId)) throw new AppError('USER_NOT_FOUND');
  if (blockers.length > 0) throw new AppError('USER_BLOCKED');
}
