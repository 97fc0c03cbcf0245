import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../contract/errors.ts';
import type { Settings } from '../settings/settings.ts';
import { LocalCounter } from './local-counter.ts';
import type { RedisConnections } from './redis.ts';

export type LimitName = keyof Settings['rates'];

/** How much of a limit is used up. */
export interface Quota {
  name: LimitName;
  points: number;
  seconds: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  exceeded: boolean;
}

/** One of a limited number of attempts. */
export interface Attempt {
  /** Takes it back, for attempts that succeeded. */
  giveBack(): Promise<void>;
}

interface Limiter {
  shared: RateLimiterRedis | null;
  /** Counts of this node alone, while Redis is away. */
  own: RateLimiterMemory;
}

/**
 * Rate limits (contract §3), counted across all nodes in Redis. While Redis is away each node counts on its own, so that a
 * limit never disappears.
 */
export class RateLimits {
  private readonly rates: Settings['rates'];
  private readonly isOn: boolean;
  private readonly redis: RedisConnections | null;
  private readonly limiters = new Map<LimitName, Limiter>();
  private readonly counters = new Map<LimitName, LocalCounter>();

  constructor(settings: Pick<Settings, 'rates' | 'rateLimits'>, redis: RedisConnections | null) {
    this.rates = settings.rates;
    this.isOn = settings.rateLimits;
    this.redis = redis;
  }

  /** Counts one more. @returns null if limits are off */
  async take(name: LimitName, key: string): Promise<Quota | null> {
    if (!this.isOn) return null;
    const result = await consume(this.limiter(name), concealed(key));
    return this.quota(name, result.consumedPoints, result.msBeforeNext);
  }

  /**
   * Counts one more without waiting for Redis: other nodes' counts are synchronised in the background, a fraction of a second
   * late at most. For limits so frequent that a round trip each time would hurt.
   */
  private takeQuickly(name: LimitName, key: string): Quota | null {
    if (!this.isOn) return null;
    const { count, resetMs } = this.counter(name).add(key);
    return this.quota(name, count, resetMs);
  }

  /** Counts a message of a user, over REST or a socket; bots have buckets of their own. */
  takeMessage(actor: { userId: string; user: { isBot: boolean } }): Quota | null {
    return this.takeQuickly(actor.user.isBot ? 'botMessages' : 'messages', actor.userId);
  }

  /** Counts another change that others are shown, apart from messages. */
  takeChange(actor: { userId: string }): Quota | null {
    return this.takeQuickly('changes', actor.userId);
  }

  /** Counts on this node alone, without Redis: for limits so generous that they only bound the work of a node. */
  takeHere(name: LimitName, key: string): Quota | null {
    if (!this.isOn) return null;
    const { count, resetMs } = this.counter(name, 'here').add(key);
    return this.quota(name, count, resetMs);
  }

  /** Whether a limit that this node counts alone is used up, before the work is done that would count. @throws AppError RATE_LIMITED */
  requireLeftHere(name: LimitName, key: string): void {
    const spent = this.isOn ? this.counter(name, 'here').spent(key) : null;
    if (spent) throw refusal(this.quota(name, spent.count, spent.resetMs));
  }

  /** Counts an attempt at something with a limit on failures. @throws AppError RATE_LIMITED */
  async attempt(name: LimitName, key: string): Promise<Attempt> {
    const quota = await this.take(name, key);
    if (!quota) return { giveBack: async () => {} };
    if (quota.exceeded) throw refusal(quota);
    return { giveBack: () => giveBack(this.limiter(name), concealed(key)) };
  }

  close(): void {
    for (const counter of this.counters.values()) counter.close();
  }

  private quota(name: LimitName, count: number, resetMs: number): Quota {
    const { points, seconds } = this.rates[name];
    return { name, points, seconds, remaining: Math.max(points - count, 0), resetMs, exceeded: count > points };
  }

  private limiter(name: LimitName): Limiter {
    let limiter = this.limiters.get(name);
    if (!limiter) {
      limiter = this.createLimiter(name);
      this.limiters.set(name, limiter);
    }
    return { own: limiter.own, shared: this.redis?.healthy ? limiter.shared : null };
  }

  private createLimiter(name: LimitName): Limiter {
    const { points, seconds: duration } = this.rates[name];
    const options = { points, duration, keyPrefix: this.redis?.named(`limit:${name}`) };
    const own = new RateLimiterMemory(options);
    const storeClient = this.redis?.commands;
    const shared = storeClient ? new RateLimiterRedis({ ...options, storeClient, insuranceLimiter: own }) : null;
    return { own, shared };
  }

  private counter(name: LimitName, reach: 'here' | 'everywhere' = 'everywhere'): LocalCounter {
    let counter = this.counters.get(name);
    if (!counter) {
      const shared = { add: (key: string, more: number) => this.addShared(name, key, more) };
      counter = new LocalCounter({ ...this.rates[name], ...(reach === 'everywhere' ? shared : {}) });
      this.counters.set(name, counter);
    }
    return counter;
  }

  private async addShared(name: LimitName, key: string, more: number) {
    const { shared } = this.limiter(name);
    if (!shared) return null;
    const { consumedPoints: count, msBeforeNext: resetMs } = await shared.penalty(concealed(key), more);
    return { count, resetMs };
  }
}

/** People's names and addresses must not be readable in Redis. */
function concealed(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 22);
}

async function consume({ shared, own }: Limiter, key: string): Promise<RateLimiterRes> {
  try {
    return await (shared ?? own).consume(key);
  } catch (refused) {
    // The library throws its result when the limit is exceeded, and errors as errors.
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

async function giveBack({ shared, own }: Limiter, key: string): Promise<void> {
  await (shared ?? own).reward(key);
}

/** The headers of contract §2, following the IETF's draft on RateLimit fields. */
export function quotaHeaders({ name, points, seconds, remaining, resetMs }: Quota): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${points};w=${seconds}`,
    RateLimit: `"${name}";r=${remaining};t=${wholeSeconds(resetMs)}`,
  };
}

/** RATE_LIMITED, with the time to retry after. */
export function refusal(quota: Quota): AppError {
  const retryAfter = Math.max(wholeSeconds(quota.resetMs), 1);
  return new AppError('RATE_LIMITED', { retryAfter, headers: quotaHeaders(quota) });
}

const wholeSeconds = (ms: number) => Math.ceil(Math.max(ms, 0) / 1000);
