import { AppError } from '../../contract/errors.ts';
import { joinRequestDecided } from '../../contract/join-request.ts';
import { type Room, userRoom } from '../../contract/rooms.ts';
import type { Change } from '../../delivery/changes.ts';
import { deciders } from './audience.ts';
import { type JoinRequestRecord, type RequestRow, requestRecord, selectRequest } from './server.view.ts';

const byId = `${selectRequest} WHERE j.id = $1`;
const settle = `UPDATE join_requests SET status = 'approved', updated_at = now()
  WHERE user_id = $3 AND status = 'pending' AND server_id = $1 AND channel_id IS NOT DISTINCT FROM $2::uuid RETURNING id`;

const isMeant = `j.server_id = $1 AND ($2::uuid IS NULL OR j.channel_id = $2) AND ($3::uuid IS NULL OR j.user_id = $3)`;
const waitingIn = `${selectRequest} WHERE ${isMeant} AND j.status = 'pending' ORDER BY j.id DESC LIMIT $4 FOR UPDATE OF j`;
/** At most this many requests are announced that end at once; later lists have none of them. */
const toldAtOnce = 20;

/** A server, or with a channel's id that channel of it. */
interface Asked {
  serverId: string;
  channelId: string | null;
}

/**
 * Settles the requests of a user who joins in any way. Call it before the membership is written, the order in which
 * decisions lock, and with the user or their membership locked, as requests do.
 * @returns whether there was a request
 */
export async function settleRequest(change: Change, { serverId, channelId }: Asked, userId: string): Promise<boolean> {
  const [settled] = await change.rows<{ id: string }>(settle, [serverId, channelId, userId]);
  if (settled) await publishDecided(change, settled.id);
  return settled !== undefined;
}

/** Publishes to requester and deciders, who remove it from their lists. @throws AppError JOIN_REQUEST_NOT_FOUND */
export async function publishDecided(change: Change, requestId: string): Promise<JoinRequestRecord> {
  const [row] = await change.rows<RequestRow>(byId, [requestId]);
  if (!row) throw new AppError('JOIN_REQUEST_NOT_FOUND');
  const request = requestRecord(row);
  publish(change, request, await deciders(change.rows, row.server_id));
  return request;
}

/**
 * Rejects the pending requests of a user who leaves, including those for the server's channels, or all requests for a
 * deleted channel. Call it before the membership is removed.
 * @param userId null: everyone
 * @returns the rooms in which it announces that
 */
export async function forgetRequests(
  change: Change,
  { serverId, channelId }: Asked,
  userId: string | null,
): Promise<Room[]> {
  const waiting = await change.rows<RequestRow>(waitingIn, [serverId, channelId, userId, toldAtOnce]);
  await change.rows(`DELETE FROM join_requests j WHERE ${isMeant}`, [serverId, channelId, userId]);
  if (waiting.length === 0) return [];
  const people = await deciders(change.rows, serverId);
  for (const row of waiting) publish(change, { ...requestRecord(row), status: 'rejected' }, people);
  return [...waiting.map((row) => row.user_id), ...people].map(userRoom);
}

function publish(change: Change, request: JoinRequestRecord, people: string[]): void {
  for (const userId of new Set([request.userId, ...people])) {
    change.publish(joinRequestDecided.in(userRoom(userId), { request }));
  }
}
