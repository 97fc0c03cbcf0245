import { lockUser } from '../../../access/user.table.ts';
import { AppError } from '../../../contract/errors.ts';
import { User } from '../../../database/entities/user.entity.ts';
import type { Change } from '../../../delivery/changes.ts';
import type { Context } from '../../context.ts';
import { userCache } from '../identity.ts';

/**
 * Whoever signs in keeps an account that was to be deleted (contract §3).
 * @returns whether it was. @throws AppError USER_NOT_FOUND if it is gone by now
 */
export async function restore(
  change: Change,
  { id, deletesAt }: User,
  { caches, directAccess }: Pick<Context, 'caches' | 'directAccess'>,
): Promise<boolean> {
  if (deletesAt == null) return false;
  await lockUser(change.rows, id);
  const user = await change.em.findOneOrFail(User, id, { refresh: true });
  if (user.deletedAt != null) throw new AppError('USER_NOT_FOUND');
  Object.assign(user, { deletesAt: null, erasesMessages: false });
  await change.em.flush();
  change.afterCommit(() => caches.forget(userCache, [id]));
  change.afterCommit(() => directAccess.forgetAllOf(id));
  return true;
}
