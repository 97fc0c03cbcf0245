import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from './log.ts';

const healthCheckMs = 500;
const answerMs = 1000;

/**
 * A connection whose publish and subscribe calls never reject: the Socket.IO adapter does not await them, and a
 * lost publish costs nothing here, since the log heals it. Subscriptions are renewed by ioredis on reconnect.
 */
class ForgivingRedis extends Redis {
  override publish(...args: Parameters<Redis['publish']>): Promise<number> {
    return super.publish(...args).catch(() => 0);
  }
  override subscribe(...args: unknown[]): Promise<unknown> {
    return Redis.prototype.subscribe.apply(this, args as never).catch(() => 0);
  }
  override psubscribe(...args: unknown[]): Promise<unknown> {
    return Redis.prototype.psubscribe.apply(this, args as never).catch(() => 0);
  }
}

/**
 * The node's connections to Redis. Redis may be absent at the start, die, hang or come back at any time:
 * `healthy` says what holds now, nobody waits for a Redis that is not, and nothing here throws.
 */
export class RedisConnections {
  /** For commands and publishing; rejects at once while Redis is away. */
  readonly commands: Redis;
  /** For the delivery's own subscriptions. */
  readonly subscriber: Redis;
  /** For the Socket.IO adapter's subscriptions. */
  readonly adapterSubscriber: Redis;
  private isHealthy = false;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: ((healthy: boolean) => void)[] = [];
  private readonly log: Log;
  private checking = false;
  private lastAnswerMs = 0;

  constructor(url: string, log: Log) {
    this.log = log;
    const retryStrategy = (times: number) => Math.min(times * 50, 500);
    const common: RedisOptions = { retryStrategy, connectTimeout: 2000, maxRetriesPerRequest: null };
    this.commands = new ForgivingRedis(url, { ...common, enableOfflineQueue: false, commandTimeout: answerMs });
    this.subscriber = new ForgivingRedis(url, { ...common, enableOfflineQueue: true });
    this.adapterSubscriber = new ForgivingRedis(url, { ...common, enableOfflineQueue: true });
    for (const client of [this.commands, this.subscriber, this.adapterSubscriber]) {
      // Without a listener an error event ends the process; the health check reports it in its own words.
      client.on('error', () => {});
    }
    // A node that can speak but not hear would trust caches whose drops it never got.
    for (const client of [this.commands, this.subscriber]) {
      client.on('close', () => this.setHealthy(false));
      client.on('ready', () => void this.check());
    }
    this.timer = setInterval(() => void this.check(), healthCheckMs);
  }

  get healthy(): boolean {
    return this.isHealthy;
  }

  /** How long it took for its last answer to a check. */
  get answerMs(): number {
    return this.lastAnswerMs;
  }

  /** Calls `listener` on every change between reachable and not. */
  onHealth(listener: (healthy: boolean) => void): void {
    this.listeners.push(listener);
  }

  /** Waits until Redis answers, `ms` at most. @returns whether it does */
  async waitUntilHealthy(ms: number): Promise<boolean> {
    if (this.isHealthy) return true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.onHealth((healthy) => {
        if (!healthy) return;
        clearTimeout(timer);
        resolve();
      });
    });
    return this.isHealthy;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.listeners.length = 0;
    for (const client of [this.commands, this.subscriber, this.adapterSubscriber]) client.disconnect();
  }

  private async check(): Promise<void> {
    // A hung Redis lets pings pile up; one at a time is enough to know.
    if (this.checking) return;
    this.checking = true;
    try {
      const asked = performance.now();
      await Promise.all([this.commands.ping(), this.listens()]);
      this.lastAnswerMs = performance.now() - asked;
      this.setHealthy(true);
    } catch {
      this.setHealthy(false);
    } finally {
      this.checking = false;
    }
  }

  /** Renewed subscriptions hold by then: they were sent before. */
  private async listens(): Promise<void> {
    if (this.subscriber.status !== 'ready') throw new Error('The subscriber is not connected.');
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The subscriber does not answer.')), answerMs);
    });
    await Promise.race([this.subscriber.ping(), timeout]).finally(() => clearTimeout(timer));
  }

  private setHealthy(healthy: boolean): void {
    if (healthy === this.isHealthy) return;
    this.isHealthy = healthy;
    if (healthy) this.log.info('Redis is reachable.');
    else this.log.warn('Redis is not reachable; this node goes on from the log alone until it is back.');
    for (const listener of this.listeners) listener(healthy);
  }
}
