import { AppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';
import { banOf } from './ban.table.ts';

/**
 * Keeps out those who are banned from a server, and their bots. Call it when adding someone, with the server's row
 * locked, as bans do. @param own whether they are the caller themselves
 * @throws AppError BANNED with the reason and the end
 */
export async function requireUnbanned(rows: Rows, serverId: string, userId: string, own: boolean): Promise<void> {
  const ban = await banOf(rows, serverId, userId);
  if (!ban) return;
  const message = own ? {} : { message: 'This user is banned from the server; lift the ban first.' };
  throw new AppError('BANNED', { ...message, extra: { reason: ban.reason, until: isoTimeOrNull(ban.until) } });
}
