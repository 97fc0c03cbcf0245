import { randomBytes } from 'node:crypto';
import type { Settings } from '../settings.ts';
import type { Log } from './log.ts';
import {
  forgiven,
  isRefusal,
  type RedisClient,
  type RedisPlace,
  redisClient,
  StrangeMessage,
} from './redis-clients.ts';
import { SilentConnections } from './silent-connections.ts';
import { SparseLog } from './sparse-log.ts';
import { StateLog } from './state-log.ts';
import { within } from './within.ts';

const healthCheckMs = 500;
const answerMs = 1000;
const refused = 'Redis refuses what a node needs.';

/**
 * The node's connections to Redis. Redis may be absent at the start, die, hang or come back at any time: `healthy` is its
 * current state, nothing waits for an unhealthy Redis, and nothing here throws.
 */
export class RedisConnections {
  /** For commands and publishing; rejects at once while Redis is away. */
  readonly commands: RedisClient;
  /** For the delivery's own subscriptions. */
  readonly subscriber: RedisClient;
  /** For the Socket.IO adapter's subscriptions. */
  readonly adapterSubscriber: RedisClient;
  private readonly silent: SilentConnections;
  private isHealthy = false;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners: ((healthy: boolean) => void)[] = [];
  private readonly log: Log;
  private readonly mistakes: SparseLog;
  /** The last error of a connection. */
  private failure: string | undefined;
  /** Why Redis is not healthy. */
  private reason: string | undefined;
  private readonly states = new StateLog<boolean>(false, (healthy, leftOut) => this.tell(healthy, leftOut));
  private readonly isCluster: boolean;
  private readonly prefix: string;
  /** The channel of control messages between nodes. */
  readonly controlChannel: string;
  /** In a cluster, for messages of this node to itself. */
  private readonly echoChannel: string;
  private echoed: () => void = () => {};
  private checking = false;
  private lastAnswerMs = 0;

  /** @returns null for a single node */
  static of(settings: Settings, log: Log): RedisConnections | null {
    const { redisUrl: url, redisCluster: cluster, redisPrefix: prefix } = settings;
    return url === null ? null : new RedisConnections({ url, cluster, prefix }, log);
  }

  constructor(place: RedisPlace, log: Log) {
    this.log = log;
    this.mistakes = new SparseLog(log);
    this.isCluster = place.cluster;
    this.prefix = place.prefix;
    this.controlChannel = this.named('control');
    this.echoChannel = this.besideControl(`echo:${randomBytes(6).toString('hex')}`);
    this.commands = redisClient(place, false, answerMs);
    this.subscriber = redisClient(place, true);
    this.adapterSubscriber = redisClient(place, true);
    const clients = [this.commands, this.subscriber, this.adapterSubscriber];
    for (const client of clients) client.on('error', (error) => this.note(error));
    this.silent = new SilentConnections(clients);
    // A node that can publish but not receive would trust caches whose drops it never got.
    for (const client of [this.commands, this.subscriber]) {
      client.on('close', () => this.setHealthy(false));
      client.on('ready', () => void this.check());
    }
    if (place.cluster) {
      this.onMessage((channel) => {
        if (channel === this.echoChannel) this.echoed();
      });
      void this.subscribe(this.echoChannel);
    }
    this.timer = setInterval(() => void this.check(), healthCheckMs);
  }

  /** The prefixed name of a key or channel, separate from other deployments on the same Redis. */
  named(what: string): string {
    return `${this.prefix}:${what}`;
  }

  /** The same for a channel that in a cluster is on the shard of the control channel, by which Redis is found to be well. */
  besideControl(what: string): string {
    return this.isCluster ? `{${this.controlChannel}}:${what}` : this.named(what);
  }

  /**
   * Publishes on a channel. In a cluster the channel belongs to one shard, as keys do, which spreads the traffic.
   * @returns the number of receivers; 0 also if it could not be published
   */
  async publish(channel: string, text: string): Promise<number> {
    if (!this.isCluster) return this.commands.publish(channel, text);
    return Number(await this.commands.spublish(channel, text).catch((error) => forgiven(this.commands, error)));
  }

  /** Subscribes to a channel; never rejects, and lasts across reconnects. */
  async subscribe(channel: string): Promise<void> {
    if (!this.isCluster) await this.subscriber.subscribe(channel);
    else await this.subscriber.ssubscribe(channel).catch((error) => forgiven(this.subscriber, error));
  }

  async unsubscribe(channel: string): Promise<void> {
    const done = this.isCluster ? this.subscriber.sunsubscribe(channel) : this.subscriber.unsubscribe(channel);
    await done.catch(() => 0);
  }

  /** Calls `listener` with messages on subscribed channels. */
  onMessage(listener: (channel: string, text: string) => void): void {
    this.subscriber.on(this.isCluster ? 'smessage' : 'message', listener);
  }

  get healthy(): boolean {
    return this.isHealthy;
  }

  /** How long Redis took to answer the last health check. */
  get answerMs(): number {
    return this.lastAnswerMs;
  }

  /** Calls `listener` whenever Redis becomes reachable or unreachable. */
  onHealth(listener: (healthy: boolean) => void): void {
    this.listeners.push(listener);
  }

  /** Waits at most `ms` until Redis answers, and logs if it does not. @returns whether it does */
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
    if (!this.isHealthy) this.log.warn({ reason: this.failure }, 'Redis is not there yet; starting without it.');
    return this.isHealthy;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.silent.close();
    this.states.close();
    this.listeners.length = 0;
    // A failure from here on is not worth reporting.
    this.isHealthy = false;
    for (const client of [this.commands, this.subscriber, this.adapterSubscriber]) client.disconnect();
  }

  /** Logs it if Redis refused something that a node goes on without, as when its disk is full or it became a replica. */
  noteRefusal(error: unknown): void {
    if (isRefusal(error)) this.mistakes.warn({ reason: error.message }, {}, refused);
  }

  private async check(): Promise<void> {
    // With a hung Redis pings would pile up; one at a time is enough.
    if (this.checking) return;
    this.checking = true;
    const asked = performance.now();
    // Both to their end: which of them fails first says little about why.
    const answers = await Promise.allSettled([this.commands.ping(), this.listens()]);
    this.checking = false;
    const failures: unknown[] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const refusal = failures.find(isRefusal);
    if (refusal) this.failure = refusal.message;
    else if (failures.length === 0) this.lastAnswerMs = performance.now() - asked;
    this.setHealthy(failures.length === 0);
  }

  /** Renewed subscriptions are in effect by then: they were sent before. */
  private async listens(): Promise<void> {
    if (this.subscriber.status !== 'ready') throw new Error('The subscriber is not connected.');
    const sign = this.isCluster ? this.echo() : this.subscriber.ping();
    if (!(await within(sign, answerMs))) throw new Error('The subscriber does not answer.');
  }

  /** A cluster's subscriber has many connections; the one for control messages is the one that matters. */
  private echo(): Promise<void> {
    return new Promise((resolve) => {
      this.echoed = resolve;
      void this.publish(this.echoChannel, '');
    });
  }

  /** A broken connection is reported by the health check; a refusal on a working one would otherwise go unnoticed. */
  private note(error: Error): void {
    if (error instanceof StrangeMessage) this.mistakes.warn({}, { err: error.cause }, error.message);
    else this.failure = error.message;
    this.noteRefusal(error);
  }

  private tell(healthy: boolean, leftOut: number): void {
    const more = leftOut > 0 ? { leftOut } : {};
    const record = { reason: this.reason, ...more };
    if (healthy) this.log.info(more, 'Redis is reachable.');
    else this.log.warn(record, 'Redis is not reachable; this node goes on from the log alone until it is back.');
  }

  private setHealthy(healthy: boolean): void {
    if (healthy === this.isHealthy) return;
    this.isHealthy = healthy;
    this.reason = this.failure;
    this.failure = undefined;
    this.states.set(healthy);
    for (const listener of this.listeners) listener(healthy);
  }
}
