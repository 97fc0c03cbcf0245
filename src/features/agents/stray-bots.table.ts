import { selectMayHaveBots } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** A bot in a server. */
export interface BotSeat {
  serverId: string;
  userId: string;
}

const seats = (where: string) => `SELECT DISTINCT m.server_id AS "serverId", m.user_id AS "userId"
  FROM agents a JOIN server_members m ON m.user_id = a.user_id AND NOT m.kept ${where} LIMIT $1`;
const strays = {
  /** Those in servers that their owner is not in. */
  server: `WHERE NOT EXISTS (SELECT FROM server_members o WHERE o.server_id = m.server_id AND o.user_id = a.owner_id)`,
  /** Those in channels from which they are out with their owner. */
  channel: `JOIN channel_members e ON e.user_id = a.user_id AND NOT e.excluded
    JOIN channels c ON c.id = e.channel_id AND c.server_id = m.server_id
    WHERE NOT ${selectMayHaveBots('a.owner_id')}`,
};
const some = { server: seats(strays.server), channel: seats(strays.channel) };
const one = 'AND m.server_id = $2 AND m.user_id = $3';
const same = { server: seats(`${strays.server} ${one}`), channel: seats(`${strays.channel} ${one}`) };

/** Bots in places that their owner is not in, except in servers that keep them. */
export function strayBotsIn(rows: Rows, place: keyof typeof strays, limit: number): Promise<BotSeat[]> {
  return rows<BotSeat>(some[place], [limit]);
}

/** Whether a bot is such a one. */
export async function isStray(rows: Rows, place: keyof typeof strays, bot: BotSeat): Promise<boolean> {
  return (await rows<BotSeat>(same[place], [1, bot.serverId, bot.userId])).length > 0;
}
