import type { ServerAccess } from '../../access/server.access.ts';
import type { Change } from '../../delivery/changes.ts';
import { botsHeldWith, dropTimeout } from './timeout.table.ts';

/** Makes all nodes reread whether a member of a server, and the bots that are held with them, are timed out. */
export async function forgetTimeout(
  change: Change,
  access: ServerAccess,
  serverId: string,
  userId: string,
): Promise<void> {
  const held = [userId, ...(await botsHeldWith(change.rows, serverId, userId))];
  change.afterCommit(() => access.forgetAll(held.map((id) => ({ serverId, userId: id }))));
}

/** Ends someone's timeout in a server. @returns whether there was one that counted */
export async function liftTimeout(
  change: Change,
  access: ServerAccess,
  serverId: string,
  userId: string,
): Promise<boolean> {
  const wasHeld = await dropTimeout(change.rows, serverId, userId);
  if (wasHeld) await forgetTimeout(change, access, serverId, userId);
  return wasHeld;
}
