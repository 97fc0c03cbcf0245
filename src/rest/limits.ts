import type { Context } from 'koa';
import type { Actor } from '../access/actor.ts';
import { addressKey } from '../infrastructure/client-address.ts';
import { type LimitName, type Quota, quotaHeaders, type RateLimits, refusal } from '../infrastructure/rate-limits.ts';

/** Counts a request, tells the client how much is left, and refuses what exceeds the limit (contract §2, §3). */
export async function limitRequest(
  limits: RateLimits,
  name: LimitName,
  context: Context,
  actor: Actor | null,
): Promise<void> {
  const quota = await taken(limits, name, context, actor);
  if (!quota) return;
  if (quota.exceeded) throw refusal(quota);
  context.set(quotaHeaders(quota));
}

/** Signed-in callers are counted per user: many users may share an address, and one may have many. */
function taken(
  limits: RateLimits,
  name: LimitName,
  context: Context,
  actor: Actor | null,
): Quota | null | Promise<Quota | null> {
  if (!actor) return limits.take(name, addressKey(context.ip));
  if (name === 'messages') return limits.takeMessage(actor);
  return name === 'changes' ? limits.takeChange(actor) : limits.take(name, actor.userId);
}
