import type { EntityManager } from '@mikro-orm/postgresql';
import { EmailChange } from '../../../database/entities/user.entity.ts';
import { dateNow } from '../../../infrastructure/clock.ts';

/** Whether an address is kept for someone else, who may still undo a change of address (contract §3). */
export async function isKept(em: EntityManager, oldEmail: string, userId: string | null = null): Promise<boolean> {
  const others = userId === null ? {} : { userId: { $ne: userId } };
  const kept = { oldEmail, changedAt: { $ne: null }, expiresAt: { $gt: dateNow() }, ...others };
  return (await em.count(EmailChange, kept)) > 0;
}
