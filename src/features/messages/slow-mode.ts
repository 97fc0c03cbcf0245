import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Chore } from '../../cluster/chores.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { may } from '../../contract/roles.ts';
import type { Rows } from '../../database/database.ts';
import { forgetTurns, requireTurn, TooSoon } from './slow-mode.table.ts';

/** How long slow mode makes the actor wait in a channel; null: not at all. Bots wait as people do (contract §6). */
export function slowModeFor({ slowModeSeconds, rights }: ChannelWithRights): number | null {
  return slowModeSeconds === 0 || may(rights, 'message:skip-slow-mode') ? null : slowModeSeconds;
}

/** Turns are forgotten in the background once no slow mode can ask for them. */
export const forgetSlowModeTurns: Chore = { name: 'forget turns in slow mode', step: forgetTurns };

/** Whether the actor may write in a channel again; without slow mode nothing is asked. @throws AppError SLOW_MODE */
export async function requireNotSlowed(rows: Rows, actor: Actor, channel: ChannelWithRights): Promise<void> {
  const slowModeSeconds = slowModeFor(channel);
  if (slowModeSeconds === null) return;
  await requireTurn(rows, { channelId: channel.id, authorId: actor.userId, slowModeSeconds }).catch(asSlowMode);
}

/** For what throws TooSoon. @throws AppError SLOW_MODE with the whole seconds to wait */
export function asSlowMode(error: unknown): never {
  if (!(error instanceof TooSoon)) throw error;
  throw new AppError('SLOW_MODE', { retryAfter: Math.max(1, Math.ceil(error.seconds)) });
}
