import type { FilterQuery } from '@mikro-orm/core';
import { anyUserById } from '../../access/user.table.ts';
import { joinRequestDecided } from '../../contract/join-request.ts';
import { type Room, userRoom } from '../../contract/rooms.ts';
import type { Queries, Rows } from '../../database/database.ts';
import { JoinRequest } from '../../database/entities/channel.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { smallUser, smallUserColumns } from '../accounts/account.view.ts';
import { holdersOf, holdersWhoKnow } from './audience.table.ts';
import { type JoinRequestRecord, requestRecord } from './join-request.view.ts';

/** At most this many requests are announced that end at once; later lists have none of them. */
const toldAtOnce = 20;

/** A server, or with a channel's id that channel of it. */
interface Asked {
  serverId: string;
  channelId: string | null;
}

/** Pending requests `j` with the users `u` who ask, newest first. */
export function pendingRequests(db: Queries, serverId: string) {
  return db
    .selectFrom('JoinRequest as j')
    .innerJoin('User as u', 'u.id', 'j.userId')
    .where('j.serverId', '=', serverId)
    .where('j.status', '=', 'pending')
    .orderBy('j.id', 'desc')
    .select([...smallUserColumns, 'j.id as requestId', 'j.serverId', 'j.channelId', 'j.userId', 'j.status'])
    .select(['j.held', 'j.inviteId'])
    .select(['j.createdAt', 'j.updatedAt']);
}

type Pending = Awaited<ReturnType<ReturnType<typeof pendingRequests>['execute']>>[number];

export const pendingRecord = (row: Pending): JoinRequestRecord =>
  requestRecord({ ...row, id: row.requestId }, smallUser(row));

/**
 * Settles the requests of a user who joins in any way. Call it before the membership is written, the order in which
 * decisions lock, and with the user or their membership locked, as requests do.
 * @returns whether there was a request
 */
export async function settleRequest(change: Change, asked: Asked, userId: string): Promise<boolean> {
  const pending = { ...asked, userId, status: 'pending' } as const;
  const request = await change.em.findOne(JoinRequest, pending, forUpdate);
  if (!request) return false;
  request.status = 'approved';
  // A held join gives back the use of its link: whoever joins now uses another one, or none.
  request.inviteId = null;
  request.updatedAt = dateNow();
  await change.em.flush();
  await publishDecided(change, request);
  return true;
}

/**
 * Those who decide about requests of a server, for each of these: of one that raid mode holds also those who may switch that,
 * of one to join a channel only who may know of it.
 */
export async function decidersOf<T extends Pick<JoinRequest, 'channelId' | 'held'>>(
  rows: Rows,
  serverId: string,
  requests: T[],
): Promise<(request: T) => string[]> {
  const channelIds = [...new Set(requests.flatMap(({ channelId }) => channelId ?? []))];
  const knowing = await holdersWhoKnow(rows, serverId, 'join-request:decide', channelIds);
  const isOfServer = requests.some(({ channelId }) => !channelId);
  const admins = isOfServer ? await holdersOf(rows, serverId, 'join-request:decide') : [];
  const isHeld = requests.some(({ held }) => held);
  const all = isHeld ? [...new Set([...admins, ...(await holdersOf(rows, serverId, 'server:raid'))])] : admins;
  return ({ channelId, held }) => (channelId ? (knowing.get(channelId) ?? []) : held ? all : admins);
}

/** Publishes to the requester and those who decide, who remove it from their lists. */
export async function publishDecided(change: Change, request: JoinRequest): Promise<JoinRequestRecord> {
  const record = requestRecord(request, await anyUserById(change.rows, request.userId));
  publish(change, record, (await decidersOf(change.rows, request.serverId, [request]))(request));
  return record;
}

/**
 * Rejects the pending requests of a user who leaves, including those for the server's channels, or all requests for a
 * deleted channel. Call it before the membership is removed.
 * @param userId null: everyone
 * @returns the rooms in which it announces that
 */
export async function forgetRequests(change: Change, asked: Asked, userId: string | null): Promise<Room[]> {
  const { serverId, channelId } = asked;
  let waitingIn = pendingRequests(change.db, serverId).limit(toldAtOnce).forUpdate('j');
  const meant: FilterQuery<JoinRequest> = { serverId };
  if (channelId) {
    waitingIn = waitingIn.where('j.channelId', '=', channelId);
    meant.channelId = channelId;
  }
  if (userId) {
    waitingIn = waitingIn.where('j.userId', '=', userId);
    meant.userId = userId;
  }
  const waiting = await waitingIn.execute();
  await change.em.nativeDelete(JoinRequest, meant);
  if (waiting.length === 0) return [];
  const deciders = await decidersOf(change.rows, serverId, waiting);
  for (const row of waiting) publish(change, { ...pendingRecord(row), status: 'rejected' }, deciders(row));
  return [...new Set(waiting.flatMap((row) => [row.userId, ...deciders(row)]))].map(userRoom);
}

function publish(change: Change, request: JoinRequestRecord, people: string[]): void {
  for (const userId of new Set([request.userId, ...people])) {
    change.publish(joinRequestDecided.in(userRoom(userId), { request }));
  }
}
