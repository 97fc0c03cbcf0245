import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { userRoom } from '../delivery/entry.ts';
import { AppError } from '../errors.ts';
import { deciders } from '../servers/audience.ts';
import { joinRequestDecided } from './join-request.contract.ts';
import { type JoinRequestRecord, type RequestRow, requestRecord, selectRequest } from './join-request.view.ts';

const byId = `${selectRequest} WHERE j.id = $1`;
const settle = `UPDATE join_requests SET status = 'approved', updated_at = now()
  WHERE user_id = $3 AND status = 'pending' AND server_id = $1 AND channel_id IS NOT DISTINCT FROM $2::uuid RETURNING id`;

/** A server, or with a channel's id that channel of it. */
interface Asked {
  serverId: string;
  channelId: string | null;
}

/**
 * Who comes in, by whatever way, has nothing left to ask for. Call it before the entry is written, for that is the order
 * in which a decision locks.
 */
export async function settleRequest(change: Change, { serverId, channelId }: Asked, userId: string): Promise<void> {
  const [settled] = await change.rows<{ id: string }>(settle, [serverId, channelId, userId]);
  if (settled) await tellDecided(change, settled.id);
}

/** Tells whoever asked, and all who decide: it is off their lists. @throws AppError JOIN_REQUEST_NOT_FOUND */
export async function tellDecided(change: Change, requestId: string): Promise<JoinRequestRecord> {
  const [row] = await change.rows<RequestRow>(byId, [requestId]);
  if (!row) throw new AppError('JOIN_REQUEST_NOT_FOUND');
  const request = requestRecord(row);
  for (const userId of new Set([row.user_id, ...(await deciders(change.rows, row.server_id))])) {
    change.publish(joinRequestDecided.in(userRoom(userId), { request }));
  }
  return request;
}

/** Who goes is a stranger again, who has asked for nothing; of a server's channels, too. Call it before the entry is removed. */
export async function forgetRequests(rows: Rows, { serverId, channelId }: Asked, userId: string): Promise<void> {
  await rows(
    'DELETE FROM join_requests WHERE user_id = $3 AND server_id = $1 AND ($2::uuid IS NULL OR channel_id = $2)',
    [serverId, channelId, userId],
  );
}
