import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import type { Rows } from '../database/database.ts';
import { barredBots } from './policy.table.ts';

/** @throws AppError FORBIDDEN for such a bot */
export async function requireUnbarred(rows: Rows, actor: Actor, serverId: string): Promise<void> {
  if (!(await isBarred(rows, actor, serverId))) return;
  throw new AppError('FORBIDDEN', { message: "This bot's policies let it see neither members nor files here." });
}

/** Whether the actor is such a bot. */
export async function isBarred(rows: Rows, actor: Actor, serverId: string): Promise<boolean> {
  return actor.user.isBot && (await barredBots(rows, serverId, [actor.userId])).size > 0;
}
