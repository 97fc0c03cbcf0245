import type { Rows } from '../../../database/database.ts';

const lock = 'SELECT id FROM agents WHERE id = $1 FOR UPDATE';
const owner = `SELECT EXISTS (
    SELECT FROM server_members b WHERE b.server_id = $1 AND b.user_id = $3 AND b.kept) AS "isKept"
  FROM server_members o WHERE o.server_id = $1 AND o.user_id = $2 FOR SHARE`;
const concerned = `SELECT channel_id AS id FROM channel_members JOIN channels ON channels.id = channel_id
  WHERE user_id = $1 AND server_id = $2`;

/** Serializes the changes of one bot's policies until the commit. @returns whether there is such an agent */
export async function lockPolicies(rows: Rows, agentId: string): Promise<boolean> {
  return (await rows(lock, [agentId])).length > 0;
}

/** The owner of a bot, as long as they are in the server, and whether that keeps the bot. The owner stays until the commit. */
export async function holdOwner(
  rows: Rows,
  serverId: string,
  { ownerId, userId }: { ownerId: string; userId: string },
): Promise<{ isKept: boolean } | undefined> {
  const [held] = await rows<{ isKept: boolean }>(owner, [serverId, ownerId, userId]);
  return held;
}

/** The channels of a server in which its default can matter to a bot. */
export async function concernedChannels(rows: Rows, botUserId: string, serverId: string | null): Promise<string[]> {
  return (await rows<{ id: string }>(concerned, [botUserId, serverId])).map(({ id }) => id);
}
