import type { Context } from 'koa';
import type { Actor } from '../access/actor.ts';
import { addressKey } from '../infrastructure/client-address.ts';
import { type LimitName, quotaHeaders, type RateLimits, refusal } from '../infrastructure/rate-limits.ts';

/** Counts a request, tells the client how much is left, and refuses what is too much (contract §2, §3). */
export async function limitRequest(
  limits: RateLimits,
  name: LimitName,
  context: Context,
  actor: Actor | null,
): Promise<void> {
  const quota =
    actor && name === 'messages' ? limits.takeMessage(actor) : await limits.take(name, addressKey(context.ip));
  if (!quota) return;
  if (quota.exceeded) throw refusal(quota);
  context.set(quotaHeaders(quota));
}
