import type { Context } from 'koa';
import type { Actor } from '../contract/actor.ts';
import { networksOf } from '../infrastructure/client-address.ts';
import { type LimitName, type Quota, quotaHeaders, type RateLimits, refusal } from '../infrastructure/rate-limits.ts';
import type { Route } from './route.ts';

/**
 * Counts a request, reports the rest of the route's own limit to the client, and refuses requests over a limit
 * (contract §2, §3). Every route has a limit: each counts in the group of its callers, besides its declared limit.
 * @throws AppError RATE_LIMITED
 */
export async function limitRequest(
  limits: RateLimits,
  route: Pick<Route, 'limit' | 'userContent'>,
  context: Context,
  actor: Actor | null,
): Promise<void> {
  const caller = actor && callerOf(actor);
  requireQuota(takeOfGroup(limits, route, context.ip, caller));
  if (!route.limit) return;
  const quota = await taken(limits, route.limit, context, caller);
  requireQuota(quota);
  if (quota) context.set(quotaHeaders(quota));
}

type Caller = Pick<Actor, 'userId' | 'user'>;

/** Who is counted: a version of a bot that is only tried uses up nothing of what the bot itself may do. */
function callerOf({ userId, user, agent }: Actor): Caller {
  return { userId: agent?.rehearsalId ?? userId, user };
}

/**
 * The limits of all requests. They bound the work of a node, so each node counts alone: a round trip for every read
 * would cost more than they save. Signed-in callers count per address too: a thief of a token cannot use up the
 * requests that its owner needs to end it.
 */
export function takeOfGroup(
  limits: RateLimits,
  { userContent }: Pick<Route, 'userContent'>,
  ip: string,
  actor: Pick<Actor, 'userId'> | null,
): Quota | null {
  const networks = networksOf(ip);
  if (actor) return limits.takeHere('requests', networks, actor.userId);
  return limits.takeHere(userContent ? 'appRequests' : 'openRequests', networks);
}

function requireQuota(quota: Quota | null): void {
  if (quota?.exceeded) throw refusal(quota);
}

/**
 * Counts a call that is made within a request: the group of its caller has counted that already.
 * @throws AppError RATE_LIMITED
 */
export async function limitCall(limits: RateLimits, { limit }: Pick<Route, 'limit'>, actor: Actor): Promise<void> {
  if (limit) requireQuota(await takenBy(limits, limit, actor));
}

/** Signed-in callers are counted per user: many users may share an address, and one may have many. */
function taken(
  limits: RateLimits,
  name: LimitName,
  context: Context,
  actor: Caller | null,
): Quota | null | Promise<Quota | null> {
  return actor ? takenBy(limits, name, actor) : limits.takeOfAddress(name, networksOf(context.ip));
}

function takenBy(limits: RateLimits, name: LimitName, actor: Caller): Quota | null | Promise<Quota | null> {
  if (name === 'messages') return limits.takeMessage(actor);
  return name === 'changes' ? limits.takeChange(actor) : limits.take(name, actor.userId);
}
