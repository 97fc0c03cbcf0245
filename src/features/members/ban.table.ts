import type { Queries, Rows } from '../../database/database.ts';

/** A ban that counts now: nodes' clocks differ, PostgreSQL's decides. A bot is kept out with its owner. */
const ofUser = `SELECT reason, until FROM server_bans b WHERE b.server_id = $1
  AND (b.until IS NULL OR b.until > clock_timestamp())
  AND (b.user_id = $2 OR b.user_id = (SELECT owner_id FROM agents WHERE user_id = $2)) LIMIT 1`;

interface Ban {
  reason: string | null;
  until: Date | string | null;
}

/** The ban from a server that keeps a user out. */
export async function banOf(rows: Rows, serverId: string, userId: string): Promise<Ban | undefined> {
  const [ban] = await rows<Ban>(ofUser, [serverId, userId]);
  return ban;
}

/** The bans of a server that count, by the same clock. */
export function currentBans(db: Queries, serverId: string) {
  return db
    .selectFrom('ServerBan as b')
    .where('b.serverId', '=', serverId)
    .where((ban) => ban.or([ban('b.until', 'is', null), ban('b.until', '>', ban.fn<Date>('clock_timestamp', []))]));
}
