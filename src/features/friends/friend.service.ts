import { anyUserById, userByUsername } from '../../access/user.reader.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { DurableEvent } from '../../contract/event.ts';
import { friendAccepted, friendRemoved, friendRequest, type friendshipSchema } from '../../contract/friend.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import { pairOf } from '../../database/array-text.ts';
import type { Rows } from '../../database/database.ts';
import type { FriendshipStatus } from '../../database/entities/user.entity.ts';
import { countOf } from '../../database/statements.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { markSettledRead } from '../../jobs/reading.ts';
import { userOf } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import { betweenThem, ownFriendship, requireNoBlock } from './friend.access.ts';
import {
  type FriendshipRecord,
  type FriendshipRow,
  friendshipRecord,
  type OtherColumns,
  otherOf,
} from './friend.view.ts';

const columns = 'id, low_id, high_id, requester_id, status, created_at, updated_at';
const withOther = `SELECT f.id, f.low_id, f.high_id, f.requester_id, f.status, f.created_at, f.updated_at,
  u.id AS other_id, u.username, u.display_name, u.avatar_url, u.is_bot
  FROM friendships f JOIN users u ON u.id = CASE WHEN f.low_id = $1 THEN f.high_id ELSE f.low_id END
  WHERE (f.low_id = $1 OR f.high_id = $1)`;
const friendsOf = `${withOther} AND f.status = 'accepted' ORDER BY u.username_key`;
const countFriends = `SELECT count(*)::int AS count FROM friendships
  WHERE (low_id = $1 OR high_id = $1) AND status = 'accepted'`;
const countHeld = `SELECT count(*)::int AS count FROM friendships WHERE (low_id = $1 OR high_id = $1)
  AND (status = 'accepted' OR (status = 'pending' AND requester_id = $1))`;
const receivedBy = `${withOther} AND f.status = 'pending' AND f.requester_id <> $1
  ORDER BY f.created_at DESC, f.id DESC LIMIT 1000`;
const sentBy = `${withOther} AND f.status = 'pending' AND f.requester_id = $1 ORDER BY f.created_at DESC, f.id DESC`;

const day = 24 * 60 * 60 * 1000;
/** How many friends and sent requests one person may have: lists are not paged. */
const maxFriendships = 2000;

type Deps = Pick<Context, 'database' | 'changes' | 'notifications'>;

/**
 * Friendships (contract §7): none → pending → accepted or rejected → none. Each change locks the logs of both people
 * first, so that of two concurrent changes the second sees the first.
 */
export class FriendService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** How many friends someone has. */
  count(actor: Actor): Promise<number> {
    return countOf(this.deps.database.rows, countFriends, [actor.userId]);
  }

  /** Sorted by username. */
  friends(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(friendsOf, actor);
  }

  /** Pending requests to the actor, newest first. */
  received(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(receivedBy, actor);
  }

  /** Pending requests of the actor, newest first. */
  sent(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(sentBy, actor);
  }

  /**
   * Sends a friend request; if the other has sent one, this accepts it.
   *
   * @throws AppError USER_NOT_FOUND, OWN_USER, USER_BLOCKED, ALREADY_FRIENDS, FRIEND_REQUEST_EXISTS,
   * FRIEND_REQUEST_REJECTED within a day of a rejection, FORBIDDEN for and to bots
   */
  async request(actor: Actor, username: string): Promise<FriendshipRecord> {
    if (actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no friends.' });
    return this.deps.changes.run(async (change) => {
      const other = await userByUsername(change.rows, username);
      if (other.id === actor.userId) throw new AppError('OWN_USER');
      if (other.isBot) throw new AppError('FORBIDDEN', { message: 'Bots have no friends.' });
      await change.lock(userRoom(actor.userId), userRoom(other.id));
      await requireNoBlock(change.rows, actor, other.id);
      const known = await betweenThem(change.rows, actor.userId, other.id);
      const crossed = known?.status === 'pending' && known.requester_id === other.id;
      if (known && !crossed) refuseAgain(known, actor);
      await requireBelowLimit(change.rows, actor.userId);
      if (crossed) return this.makeFriends(change, known, actor);
      const row = await ask(change.rows, actor.userId, other.id);
      await this.publish(change, friendRequest, row);
      await this.notify(change, 'friendship.request', actor.userId, row);
      return friendshipRecord(row, actor.userId, other);
    });
  }

  /** By the addressee only. @throws AppError FRIENDSHIP_NOT_FOUND, FORBIDDEN, ALREADY_FRIENDS, FRIEND_REQUEST_CLOSED */
  async accept(actor: Actor, id: string): Promise<FriendshipRecord> {
    return this.deps.changes.run(async (change) => {
      const row = await this.answerable(change, actor, id);
      await requireBelowLimit(change.rows, actor.userId);
      return this.makeFriends(change, row, actor);
    });
  }

  /** By the addressee only. @throws AppError as `accept` */
  async reject(actor: Actor, id: string): Promise<FriendshipRecord> {
    return this.deps.changes.run(async (change) => {
      const row = await this.answerable(change, actor, id);
      const rejected = await setStatus(change.rows, row.id, 'rejected');
      await markRequestRead(change, row);
      publishRemoved(change, row);
      return friendshipRecord(rejected, actor.userId, await anyUserById(change.rows, row.requester_id));
    });
  }

  /** Ends a friendship, or withdraws a request. @throws AppError FRIENDSHIP_NOT_FOUND */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const seen = await ownFriendship(change.rows, actor, id);
      await change.lock(userRoom(seen.low_id), userRoom(seen.high_id));
      const row = await ownFriendship(change.rows, actor, id);
      // A rejected request is in no list, and must not be deleted and sent again before its day is over.
      if (row.status === 'rejected') throw new AppError('FRIENDSHIP_NOT_FOUND');
      await this.end(change, row);
    });
  }

  /** Ends the relation of two people whose logs are locked, because one of them blocks the other. */
  async endBetween(change: Change, one: string, other: string): Promise<void> {
    const row = await betweenThem(change.rows, one, other);
    if (row && row.status !== 'rejected') await this.end(change, row);
  }

  private async list(text: string, actor: Actor): Promise<FriendshipRecord[]> {
    const rows = await this.deps.database.rows<FriendshipRow & OtherColumns>(text, [actor.userId]);
    return rows.map((row) => friendshipRecord(row, actor.userId, userOf(row.other_id, row)));
  }

  private async answerable(change: Change, actor: Actor, id: string): Promise<FriendshipRow> {
    const seen = await ownFriendship(change.rows, actor, id);
    await change.lock(userRoom(seen.low_id), userRoom(seen.high_id));
    const row = await ownFriendship(change.rows, actor, id);
    if (row.status === 'accepted') throw new AppError('ALREADY_FRIENDS');
    if (row.status === 'rejected') throw new AppError('FRIEND_REQUEST_CLOSED');
    if (row.requester_id === actor.userId) {
      throw new AppError('FORBIDDEN', { message: 'Only the one who was asked may answer.' });
    }
    return row;
  }

  private async makeFriends(change: Change, row: FriendshipRow, accepter: Actor): Promise<FriendshipRecord> {
    const accepted = await setStatus(change.rows, row.id, 'accepted');
    await markRequestRead(change, row);
    await this.publish(change, friendAccepted, accepted);
    await this.notify(change, 'friendship.accepted', accepter.userId, accepted);
    return friendshipRecord(accepted, accepter.userId, await anyUserById(change.rows, row.requester_id));
  }

  private notify(change: Change, kind: NotificationKind, senderId: string, row: FriendshipRow): Promise<void> {
    const reference = { type: 'friendship', id: row.id };
    return this.deps.notifications.add(change, { kind, to: [otherOf(row, senderId)], senderId, reference });
  }

  private async end(change: Change, row: FriendshipRow): Promise<void> {
    await change.rows('DELETE FROM friendships WHERE id = $1', [row.id]);
    if (row.status === 'pending') await markRequestRead(change, row);
    publishRemoved(change, row);
  }

  /** Publishes to both, each as they see it. */
  private async publish(
    change: Change,
    event: DurableEvent<typeof friendshipSchema>,
    row: FriendshipRow,
  ): Promise<void> {
    for (const userId of [row.low_id, row.high_id]) {
      const other = await anyUserById(change.rows, otherOf(row, userId));
      change.publish(event.in(userRoom(userId), friendshipRecord(row, userId, other)));
    }
  }
}

/** The notification of a request that is no longer pending counts as read. */
function markRequestRead(change: Change, row: FriendshipRow): Promise<void> {
  return markSettledRead(change, otherOf(row, row.requester_id), { type: 'friendship', id: row.id });
}

function publishRemoved(change: Change, row: FriendshipRow): void {
  for (const userId of [row.low_id, row.high_id]) {
    change.publish(friendRemoved.in(userRoom(userId), { friendshipId: row.id, userId: otherOf(row, userId) }));
  }
}

/** @throws AppError when their relation keeps the actor from asking now */
function refuseAgain(known: FriendshipRow, actor: Actor): void {
  if (known.status === 'accepted') throw new AppError('ALREADY_FRIENDS');
  if (known.status === 'pending') throw new AppError('FRIEND_REQUEST_EXISTS');
  // The one who rejected may ask at once (contract §13).
  const wait = new Date(known.updated_at).getTime() + day - clock.now();
  if (known.requester_id === actor.userId && wait > 0) throw new AppError('FRIEND_REQUEST_REJECTED');
}

async function requireBelowLimit(rows: Rows, userId: string): Promise<void> {
  if ((await countOf(rows, countHeld, [userId])) >= maxFriendships) throw new AppError('FRIEND_LIMIT');
}

/** A new request replaces a rejected one. */
async function ask(rows: Rows, requesterId: string, addresseeId: string): Promise<FriendshipRow> {
  const { low, high } = pairOf(requesterId, addresseeId);
  await rows('DELETE FROM friendships WHERE low_id = $1 AND high_id = $2', [low, high]);
  const [row] = await rows<FriendshipRow>(
    `INSERT INTO friendships (id, low_id, high_id, requester_id, status, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'pending', now(), now()) RETURNING ${columns}`,
    [newId(), low, high, requesterId],
  );
  if (!row) throw new Error('A friend request was not written.');
  return row;
}

async function setStatus(rows: Rows, id: string, status: FriendshipStatus): Promise<FriendshipRow> {
  const [row] = await rows<FriendshipRow>(
    `UPDATE friendships SET status = $2, updated_at = now() WHERE id = $1 RETURNING ${columns}`,
    [id, status],
  );
  if (!row) throw new AppError('FRIENDSHIP_NOT_FOUND');
  return row;
}
