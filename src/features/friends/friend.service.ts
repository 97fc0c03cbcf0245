import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { anyUserById, userByUsername } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { DurableEvent } from '../../contract/event.ts';
import { friendAccepted, friendRemoved, friendRequest, type friendshipSchema } from '../../contract/friend.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import { pairOf } from '../../database/array-text.ts';
import type { Queries } from '../../database/database.ts';
import { Friendship, type FriendshipStatus } from '../../database/entities/friendship.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { clock, dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { markSettledRead } from '../../jobs/reading.ts';
import { smallUser, smallUserColumns } from '../accounts/account.view.ts';
import type { Context } from '../context.ts';
import { betweenThem, ownFriendship, requireNoBlock } from './friend.access.ts';
import { type FriendshipRecord, friendshipRecord, otherOf } from './friend.view.ts';

const day = 24 * 60 * 60 * 1000;
/** How many friends and sent requests one person may have: lists are not paged. */
const maxFriendships = 2000;
/** How many requests of others are listed. */
const maxReceived = 1000;

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
    return this.deps.database.read((em) => em.count(Friendship, { status: 'accepted', $or: sidesOf(actor.userId) }));
  }

  /** Sorted by username. */
  friends(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(actor, (all) => all.where('f.status', '=', 'accepted').orderBy('u.usernameKey'));
  }

  /** Pending requests to the actor, newest first. */
  received(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(actor, (all) => newestPending(all).where('f.requesterId', '<>', actor.userId).limit(maxReceived));
  }

  /** Pending requests of the actor, newest first. */
  sent(actor: Actor): Promise<FriendshipRecord[]> {
    return this.list(actor, (all) => newestPending(all).where('f.requesterId', '=', actor.userId));
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
      await requireNoBlock(change.em, actor, other.id);
      const known = await betweenThem(change.em, actor.userId, other.id);
      const crossed = known?.status === 'pending' && known.requesterId === other.id;
      if (known && !crossed) refuseAgain(known, actor);
      await requireBelowLimit(change.em, actor.userId);
      if (crossed) return this.makeFriends(change, known, actor);
      if (known) await change.em.remove(known).flush();
      const row = await ask(change.em, actor.userId, other.id);
      await this.publish(change, friendRequest, row);
      await this.notify(change, 'friendship.request', actor.userId, row);
      return friendshipRecord(row, actor.userId, other);
    });
  }

  /** By the addressee only. @throws AppError FRIENDSHIP_NOT_FOUND, FORBIDDEN, ALREADY_FRIENDS, FRIEND_REQUEST_CLOSED */
  async accept(actor: Actor, id: string): Promise<FriendshipRecord> {
    return this.deps.changes.run(async (change) => {
      const row = await this.answerable(change, actor, id);
      await requireBelowLimit(change.em, actor.userId);
      return this.makeFriends(change, row, actor);
    });
  }

  /** By the addressee only. @throws AppError as `accept` */
  async reject(actor: Actor, id: string): Promise<FriendshipRecord> {
    return this.deps.changes.run(async (change) => {
      const row = await this.answerable(change, actor, id);
      const rejected = await setStatus(change.em, row, 'rejected');
      await markRequestRead(change, row);
      publishRemoved(change, row);
      return friendshipRecord(rejected, actor.userId, await anyUserById(change.rows, row.requesterId));
    });
  }

  /** Ends a friendship, or withdraws a request. @throws AppError FRIENDSHIP_NOT_FOUND */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const seen = await ownFriendship(change.em, actor, id);
      await change.lock(userRoom(seen.lowId), userRoom(seen.highId));
      const row = await ownFriendship(change.em, actor, id);
      // A rejected request is in no list, and must not be deleted and sent again before its day is over.
      if (row.status === 'rejected') throw new AppError('FRIENDSHIP_NOT_FOUND');
      await this.end(change, row);
    });
  }

  /** Ends the relation of two people whose logs are locked, because one of them blocks the other. */
  async endBetween(change: Change, one: string, other: string): Promise<void> {
    const row = await betweenThem(change.em, one, other);
    if (row && row.status !== 'rejected') await this.end(change, row);
  }

  /** Ends some of the relations of someone whose account is deleted. @returns how many */
  async endSome(change: Change, userId: string, most: number): Promise<number> {
    const some = { orderBy: { id: 'asc' }, limit: most } as const;
    const rows = await change.em.find(Friendship, { $or: sidesOf(userId) }, some);
    await change.lock(...rows.flatMap(({ lowId, highId }) => [userRoom(lowId), userRoom(highId)]));
    for (const row of rows) await this.end(change, row);
    return rows.length;
  }

  private async list(actor: Actor, select: (all: Pairs) => Pairs): Promise<FriendshipRecord[]> {
    const pairs = await select(pairsOf(this.deps.database.db, actor.userId)).execute();
    return pairs.map((pair) => friendshipRecord({ ...pair, id: pair.friendshipId }, actor.userId, smallUser(pair)));
  }

  private async answerable(change: Change, actor: Actor, id: string): Promise<Friendship> {
    const seen = await ownFriendship(change.em, actor, id);
    await change.lock(userRoom(seen.lowId), userRoom(seen.highId));
    const row = await ownFriendship(change.em, actor, id);
    if (row.status === 'accepted') throw new AppError('ALREADY_FRIENDS');
    if (row.status === 'rejected') throw new AppError('FRIEND_REQUEST_CLOSED');
    if (row.requesterId === actor.userId) {
      throw new AppError('FORBIDDEN', { message: 'Only the one who was asked may answer.' });
    }
    return row;
  }

  private async makeFriends(change: Change, row: Friendship, accepter: Actor): Promise<FriendshipRecord> {
    const accepted = await setStatus(change.em, row, 'accepted');
    await markRequestRead(change, row);
    await this.publish(change, friendAccepted, accepted);
    await this.notify(change, 'friendship.accepted', accepter.userId, accepted);
    return friendshipRecord(accepted, accepter.userId, await anyUserById(change.rows, row.requesterId));
  }

  private notify(change: Change, kind: NotificationKind, senderId: string, row: Friendship): Promise<void> {
    const reference = { type: 'friendship', id: row.id };
    return this.deps.notifications.add(change, { kind, to: [otherOf(row, senderId)], senderId, reference });
  }

  private async end(change: Change, row: Friendship): Promise<void> {
    await change.em.remove(row).flush();
    if (row.status === 'pending') await markRequestRead(change, row);
    publishRemoved(change, row);
  }

  /** Publishes to both, each as they see it. */
  private async publish(change: Change, event: DurableEvent<typeof friendshipSchema>, row: Friendship): Promise<void> {
    for (const userId of [row.lowId, row.highId]) {
      const other = await anyUserById(change.rows, otherOf(row, userId));
      change.publish(event.in(userRoom(userId), friendshipRecord(row, userId, other)));
    }
  }
}

/** The notification of a request that is no longer pending counts as read. */
function markRequestRead(change: Change, row: Friendship): Promise<void> {
  return markSettledRead(change, otherOf(row, row.requesterId), { type: 'friendship', id: row.id });
}

function publishRemoved(change: Change, row: Friendship): void {
  for (const userId of [row.lowId, row.highId]) {
    change.publish(friendRemoved.in(userRoom(userId), { friendshipId: row.id, userId: otherOf(row, userId) }));
  }
}

/** @throws AppError when their relation keeps the actor from asking now */
function refuseAgain(known: Friendship, actor: Actor): void {
  if (known.status === 'accepted') throw new AppError('ALREADY_FRIENDS');
  if (known.status === 'pending') throw new AppError('FRIEND_REQUEST_EXISTS');
  // The one who rejected may ask at once (contract §13).
  const wait = known.updatedAt.getTime() + day - clock.now();
  if (known.requesterId === actor.userId && wait > 0) throw new AppError('FRIEND_REQUEST_REJECTED');
}

async function requireBelowLimit(em: EntityManager, userId: string): Promise<void> {
  const held: FilterQuery<Friendship>[] = [{ status: 'accepted' }, { status: 'pending', requesterId: userId }];
  const count = await em.count(Friendship, { $and: [{ $or: sidesOf(userId) }, { $or: held }] });
  if (count >= maxFriendships) throw new AppError('FRIEND_LIMIT');
}

const sidesOf = (userId: string) => [{ lowId: userId }, { highId: userId }];

/** The relations of a user, with the other person of each. */
function pairsOf(db: Queries, userId: string) {
  return db
    .selectFrom('Friendship as f')
    .innerJoin('User as u', (join) =>
      join.on((on) =>
        on('u.id', '=', on.case().when('f.lowId', '=', userId).then(on.ref('f.highId')).else(on.ref('f.lowId')).end()),
      ),
    )
    .where((where) => where.or([where('f.lowId', '=', userId), where('f.highId', '=', userId)]))
    .select([...smallUserColumns, 'f.id as friendshipId', 'f.lowId', 'f.highId', 'f.requesterId', 'f.status'])
    .select(['f.createdAt', 'f.updatedAt']);
}

type Pairs = ReturnType<typeof pairsOf>;

const newestPending = (all: Pairs): Pairs =>
  all.where('f.status', '=', 'pending').orderBy('f.createdAt', 'desc').orderBy('f.id', 'desc');

async function ask(em: EntityManager, requesterId: string, addresseeId: string): Promise<Friendship> {
  const { low, high } = pairOf(requesterId, addresseeId);
  const request = em.create(Friendship, { id: newId(), lowId: low, highId: high, requesterId, status: 'pending' });
  await em.flush();
  return request;
}

async function setStatus(em: EntityManager, friendship: Friendship, status: FriendshipStatus): Promise<Friendship> {
  friendship.status = status;
  friendship.updatedAt = dateNow();
  await em.flush();
  return friendship;
}
