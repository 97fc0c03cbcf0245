import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Rows } from '../../database/database.ts';

/** SQL of who had a bot before it was deleted or handed over, if anyone. @param user SQL of its id */
export const selectFormerOwner = (user: string): string =>
  `(SELECT bot.former_owner_id FROM users bot WHERE bot.id = ${user})`;

/** SQL of the id of who answers for a user: the last owner of a bot, and people themselves. @param user SQL of the user's id */
export const selectResponsible = (user: string): string =>
  `coalesce((SELECT agent.owner_id FROM agents agent WHERE agent.user_id = ${user}), ${selectFormerOwner(user)}, ${user})`;

const isOne = `SELECT ${selectResponsible('$1::uuid')} = ${selectResponsible('$2::uuid')} AS "isOne"`;

/** Whether one person answers for both: they are the same, someone and their bot, or two bots of one owner. */
export async function haveSameOwner(rows: Rows, oneId: string, otherId: string): Promise<boolean> {
  if (oneId === otherId) return true;
  const [found] = await rows<{ isOne: boolean }>(isOne, [oneId, otherId]);
  return found?.isOne ?? false;
}

/** A bot decides nothing about its owner and their other bots, whatever it may do (contract §5). @throws AppError FORBIDDEN */
export async function requireStranger(rows: Rows, actor: Actor, userId: string): Promise<void> {
  if (!actor.user.isBot || !(await haveSameOwner(rows, actor.userId, userId))) return;
  throw new AppError('FORBIDDEN', { message: 'A bot decides nothing about its owner.' });
}
