import { AppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Queries } from '../../database/database.ts';

/** The bans of a server that count now: nodes' clocks differ, PostgreSQL's decides. */
export function currentBans(db: Queries, serverId: string) {
  return db
    .selectFrom('ServerBan as b')
    .where('b.serverId', '=', serverId)
    .where((ban) => ban.or([ban('b.until', 'is', null), ban('b.until', '>', ban.fn<Date>('clock_timestamp', []))]));
}

/**
 * Keeps out those who are banned from a server, and their bots. Call it when adding someone, with the server's row
 * locked, as bans do. @param own whether they are the caller themselves
 * @throws AppError BANNED with the reason and the end
 */
export async function requireUnbanned(db: Queries, serverId: string, userId: string, own: boolean): Promise<void> {
  const ban = await currentBans(db, serverId)
    .where((ban) =>
      ban.or([
        ban('b.userId', '=', userId),
        ban('b.userId', '=', ban.selectFrom('Agent as a').where('a.userId', '=', userId).select('a.ownerId')),
      ]),
    )
    .select(['b.reason', 'b.until'])
    .limit(1)
    .executeTakeFirst();
  if (!ban) return;
  const message = own ? {} : { message: 'This user is banned from the server; lift the ban first.' };
  throw new AppError('BANNED', { ...message, extra: { reason: ban.reason, until: isoTimeOrNull(ban.until) } });
}
