import type { Rows } from '../database/database.ts';

/** A server, or with a channel's id that channel of it. */
interface Asked {
  serverId: string;
  channelId: string | null;
}

/**
 * Who comes in, by whatever way, has nothing left to ask for. Call it before the entry is written, for that is the order
 * in which a decision locks.
 */
export async function settleRequest(rows: Rows, { serverId, channelId }: Asked, userId: string): Promise<void> {
  await rows(
    `UPDATE join_requests SET status = 'approved', updated_at = now() WHERE user_id = $3 AND status = 'pending'
     AND server_id = $1 AND channel_id IS NOT DISTINCT FROM $2::uuid`,
    [serverId, channelId, userId],
  );
}

/** Who goes is a stranger again, who has asked for nothing; of a server's channels, too. Call it before the entry is removed. */
export async function forgetRequests(rows: Rows, { serverId, channelId }: Asked, userId: string): Promise<void> {
  await rows(
    'DELETE FROM join_requests WHERE user_id = $3 AND server_id = $1 AND ($2::uuid IS NULL OR channel_id = $2)',
    [serverId, channelId, userId],
  );
}
