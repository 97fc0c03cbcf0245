import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../contract/errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { Networks } from './client-address.ts';
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

/** What one limit counts. */
export interface Counted {
  name: LimitName;
  key: string;
  /** How many times the limit may be used: more than once for what many share. */
  factor?: number;
}

/** One of a limited number of attempts. */
export interface Attempt {
  /** The limit that is used up, else the one that is closest to it; null if limits are off. */
  quota: Quota | null;
  /** Takes it back, for attempts that succeeded. */
  giveBack(): Promise<void>;
}

/** What is known of a limit's use. */
interface Used {
  name: LimitName;
  count: number;
  resetMs: number;
  factor?: number;
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
  /** How often each limit was found used up on this node. */
  readonly refused = new Map<LimitName, number>();
  private readonly rates: Settings['rates'];
  private readonly isOn: boolean;
  private readonly redis: RedisConnections | null;
  private readonly siteFactor: number;
  /** By name and factor. */
  private readonly limiters = new Map<string, Limiter>();
  private readonly counters = new Map<LimitName, LocalCounter>();

  constructor(settings: Pick<Settings, 'rates' | 'rateLimits' | 'limits'>, redis: RedisConnections | null) {
    this.rates = settings.rates;
    this.isOn = settings.rateLimits;
    this.siteFactor = settings.limits.ipv6SiteFactor;
    this.redis = redis;
  }

  /** Counts one more. @returns null if limits are off */
  async take(name: LimitName, key: string): Promise<Quota | null> {
    return this.isOn ? this.consume({ name, key }) : null;
  }

  /** Counts one more of a client by its address. @returns null if limits are off */
  async takeOfAddress(name: LimitName, networks: Networks): Promise<Quota | null> {
    return (await this.attempt(this.ofAddress(name, networks))).quota;
  }

  /**
   * What a limit by address counts: the address, and for IPv6 the /48 above it.
   * @param what else the limit is about, such as an account
   */
  ofAddress(name: LimitName, { own, site }: Networks, what = ''): Counted[] {
    const prefix = what && `${what} `;
    const above = site === null ? [] : [{ name, key: prefix + site, factor: this.siteFactor }];
    return [{ name, key: prefix + own }, ...above];
  }

  /** Counts one more for several limits, one after the other: where one is used up, those after it count nothing. */
  async attempt(counted: Counted[]): Promise<Attempt> {
    const taken: Counted[] = [];
    let quota: Quota | null = null;
    for (const one of this.isOn ? counted : []) {
      const next = await this.consume(one);
      taken.push(one);
      if (quota === null || next.exceeded || next.remaining < quota.remaining) quota = next;
      if (next.exceeded) break;
    }
    const giveBack = async () => {
      await Promise.all(taken.map(({ name, key, factor }) => giveBackTo(this.limiter(name, factor), concealed(key))));
    };
    return { quota, giveBack };
  }

  /**
   * Counts one more without waiting for Redis: other nodes' counts are synchronised in the background, a fraction of a second
   * late at most. For limits so frequent that a round trip each time would hurt.
   */
  private takeQuickly(name: LimitName, key: string): Quota | null {
    if (!this.isOn) return null;
    const { count, resetMs } = this.counter(name).add(key);
    return this.quota({ name, count, resetMs });
  }

  /** Counts a message of a user, over REST or a socket; bots have buckets of their own. */
  takeMessage(actor: { userId: string; user: { isBot: boolean } }): Quota | null {
    return this.takeQuickly(actor.user.isBot ? 'botMessages' : 'messages', actor.userId);
  }

  /** Counts any other change that is broadcast, apart from messages. */
  takeChange(actor: { userId: string }): Quota | null {
    return this.takeQuickly('changes', actor.userId);
  }

  /** Counts another event of a user, on whichever of their sockets. */
  takeEvent(name: LimitName, { userId }: { userId: string }): Quota | null {
    return this.takeQuickly(name, userId);
  }

  /**
   * Counts on this node alone, without Redis: for limits so generous that they only bound the work of a node.
   * @param what besides the address
   */
  takeHere(name: LimitName, networks: Networks, what = ''): Quota | null {
    let quota: Quota | null = null;
    for (const { key, factor = 1 } of this.isOn ? this.ofAddress(name, networks, what) : []) {
      const added = this.counter(name, 'here').add(key, this.rates[name].points * factor);
      const next = this.quota({ name, factor, ...added });
      if (next.exceeded) return next;
      quota ??= next;
    }
    return quota;
  }

  /** Checks a limit of this node alone before the work that would count. @throws AppError RATE_LIMITED */
  requireLeftHere(name: LimitName, networks: Networks): void {
    for (const { key, factor = 1 } of this.isOn ? this.ofAddress(name, networks) : []) {
      const spent = this.counter(name, 'here').spent(key, this.rates[name].points * factor);
      if (spent) throw refusal(this.quota({ name, factor, ...spent }));
    }
  }

  close(): void {
    for (const counter of this.counters.values()) counter.close();
  }

  private async consume({ name, key, factor = 1 }: Counted): Promise<Quota> {
    const result = await consumeOf(this.limiter(name, factor), concealed(key));
    return this.quota({ name, factor, count: result.consumedPoints, resetMs: result.msBeforeNext });
  }

  private quota({ name, count, resetMs, factor = 1 }: Used): Quota {
    const { points: one, seconds } = this.rates[name];
    const points = one * factor;
    if (count > points) this.refused.set(name, (this.refused.get(name) ?? 0) + 1);
    return { name, points, seconds, remaining: Math.max(points - count, 0), resetMs, exceeded: count > points };
  }

  private limiter(name: LimitName, factor = 1): Limiter {
    const key = factor === 1 ? name : `${name}:${factor}`;
    let limiter = this.limiters.get(key);
    if (!limiter) {
      limiter = this.createLimiter(name, key, factor);
      this.limiters.set(key, limiter);
    }
    return { own: limiter.own, shared: this.redis?.healthy ? limiter.shared : null };
  }

  private createLimiter(name: LimitName, key: string, factor: number): Limiter {
    const { points, seconds: duration } = this.rates[name];
    const options = { points: points * factor, duration, keyPrefix: this.redis?.named(`limit:${key}`) };
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

async function consumeOf({ shared, own }: Limiter, key: string): Promise<RateLimiterRes> {
  try {
    return await (shared ?? own).consume(key);
  } catch (refused) {
    // The library throws its result when the limit is exceeded, and errors as errors.
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  }
}

async function giveBackTo({ shared, own }: Limiter, key: string): Promise<void> {
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
