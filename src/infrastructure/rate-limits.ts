import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from '../contract/errors.ts';
import type { Settings } from '../settings/settings.ts';
import { atMost } from './cache.ts';
import type { RedisConnections } from './redis.ts';

/** The known state of a key's window. */
interface Window {
  /** Counted here and, as far as known, on other nodes. */
  count: number;
  /** Counted here and not yet added to the shared count. */
  unsynced: number;
  endsAt: number;
}

interface CounterOptions {
  points: number;
  seconds: number;
  /** Adds to the count shared by all nodes. @returns the new count, or null while Redis is unreachable; absent: each node counts alone */
  add?(key: string, more: number): Promise<{ count: number; resetMs: number } | null>;
}

const syncMs = 100;
const maxKeys = 100_000;

/**
 * Counts per key in windows that start with the first use. It never waits: this node counts locally and, ten times a
 * second, adds its count to the shared one and adopts the sum. So a key used on several nodes at once exceeds its limit by
 * no more than its use on the others in a tenth of a second, and on a single node never.
 */
class LocalCounter {
  private readonly options: CounterOptions;
  private readonly windows = new LRUCache<string, Window>(atMost(maxKeys));
  private dirty = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(options: CounterOptions) {
    this.options = options;
  }

  /** Counts one more. Attempts beyond the limit are not counted, so that retrying does not make it worse. */
  add(key: string): { count: number; resetMs: number } {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { count: 0, unsynced: 0, endsAt: now + this.options.seconds * 1000 };
      this.windows.set(key, window);
    }
    const resetMs = window.endsAt - now;
    if (window.count >= this.options.points) return { count: window.count + 1, resetMs };
    window.count++;
    if (!this.options.add) return { count: window.count, resetMs };
    window.unsynced++;
    this.dirty.add(key);
    this.timer ??= setTimeout(() => void this.sync(), syncMs).unref();
    return { count: window.count, resetMs };
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  /** The rest of a key's window once its limit is used up; null while it is not. Counts nothing. */
  spent(key: string): { count: number; resetMs: number } | null {
    const window = this.windows.get(key);
    const resetMs = (window?.endsAt ?? 0) - performance.now();
    return window && resetMs > 0 && window.count >= this.options.points ? { count: window.count + 1, resetMs } : null;
  }

  private async sync(): Promise<void> {
    const keys = this.dirty;
    this.dirty = new Set();
    // In one turn of the event loop, so that they are sent as one batch.
    await Promise.all([...keys].map((key) => this.syncKey(key)));
    this.timer = undefined;
    if (this.dirty.size > 0 && !this.closed) this.timer = setTimeout(() => void this.sync(), syncMs).unref();
  }

  private async syncKey(key: string): Promise<void> {
    const window = this.windows.get(key);
    if (!window) return;
    const sent = window.unsynced;
    window.unsynced = 0;
    const shared = await this.options.add?.(key, sent).catch(() => null);
    // A new window may have started meanwhile.
    if (this.windows.get(key) !== window) return;
    if (!shared) {
      window.unsynced += sent;
      return;
    }
    window.count = shared.count + window.unsynced;
    window.endsAt = performance.now() + shared.resetMs;
  }
}

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

  /** Counts any other change that is broadcast, apart from messages. */
  takeChange(actor: { userId: string }): Quota | null {
    return this.takeQuickly('changes', actor.userId);
  }

  /** Counts on this node alone, without Redis: for limits so generous that they only bound the work of a node. */
  takeHere(name: LimitName, key: string): Quota | null {
    if (!this.isOn) return null;
    const { count, resetMs } = this.counter(name, 'here').add(key);
    return this.quota(name, count, resetMs);
  }

  /** Checks a limit of this node alone before the work that would count. @throws AppError RATE_LIMITED */
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
