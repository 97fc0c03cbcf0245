import type { Change } from '../delivery/changes.ts';
import { type Room, userRoom } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import { deciders } from '../servers/audience.ts';
import { joinRequestDecided } from './join-request.contract.ts';
import { type JoinRequestRecord, type RequestRow, requestRecord, selectRequest } from './join-request.view.ts';

const byId = `${selectRequest} WHERE j.id = $1`;
const settle = `UPDATE join_requests SET status = 'approved', updated_at = now()
  WHERE user_id = $3 AND status = 'pending' AND server_id = $1 AND channel_id IS NOT DISTINCT FROM $2::uuid RETURNING id`;

const isMeant = `j.server_id = $1 AND ($2::uuid IS NULL OR j.channel_id = $2) AND ($3::uuid IS NULL OR j.user_id = $3)`;
const waitingIn = `${selectRequest} WHERE ${isMeant} AND j.status = 'pending' ORDER BY j.id DESC LIMIT $4 FOR UPDATE OF j`;
/** Of so many requests that end at once it is told; lists that are read later are without all of them. */
const toldAtOnce = 20;

/** A server, or with a channel's id that channel of it. */
interface Asked {
  serverId: string;
  channelId: string | null;
}

/**
 * Who comes in, by whatever way, has nothing left to ask for. Call it before the entry is written, for that is the order
 * in which a decision locks, and with the user or its seat locked, as those do who ask.
 * @returns whether something was asked for
 */
export async function settleRequest(change: Change, { serverId, channelId }: Asked, userId: string): Promise<boolean> {
  const [settled] = await change.rows<{ id: string }>(settle, [serverId, channelId, userId]);
  if (settled) await tellDecided(change, settled.id);
  return settled !== undefined;
}

/** Tells whoever asked, and all who decide: it is off their lists. @throws AppError JOIN_REQUEST_NOT_FOUND */
export async function tellDecided(change: Change, requestId: string): Promise<JoinRequestRecord> {
  const [row] = await change.rows<RequestRow>(byId, [requestId]);
  if (!row) throw new AppError('JOIN_REQUEST_NOT_FOUND');
  const request = requestRecord(row);
  tell(change, request, await deciders(change.rows, row.server_id));
  return request;
}

/**
 * Who goes is a stranger again, who has asked for nothing, also in the server's channels; and nobody asks for a channel that is
 * gone. What still waited is rejected. Call it before the entry is removed.
 * @param userId null: everyone
 * @returns where it tells of that
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
  for (const row of waiting) tell(change, { ...requestRecord(row), status: 'rejected' }, people);
  return [...waiting.map((row) => row.user_id), ...people].map(userRoom);
}

function tell(change: Change, request: JoinRequestRecord, people: string[]): void {
  for (const userId of new Set([request.userId, ...people])) {
    change.publish(joinRequestDecided.in(userRoom(userId), { request }));
  }
}
