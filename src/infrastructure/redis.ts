import { randomBytes } from 'node:crypto';
import type { Settings } from '../settings/settings.ts';
import type { Log } from './log.ts';
import {
  forgiven,
  isRefusal,
  type RedisClient,
  type RedisPlace,
  redisClient,
  StrangeMessage,
} from './redis-clients.ts';
import { RedisEcho } from './redis-echo.ts';
import { GatheredSubscriptions } from './redis-gathered.ts';
import { RedisScout } from './redis-scout.ts';
import { leave, SilentConnections } from './silent-connections.ts';
import { SparseLog } from './sparse-log.ts';
import { StateLog } from './state-log.ts';
import { within } from './within.ts';

const healthCheckMs = 500;
const scoutMs = 2000;
const answerMs = 1000;
/** How long a health check's value is kept, in ms. */
const writtenMs = 10_000;
const refused = 'Redis refuses what a node needs.';
/** The refusal of a server that is no longer primary after a failover: a new connection leads to the new primary. */
const isNoPrimary = (refusal: Error) => /^(READONLY|MASTERDOWN|LOADING)\b/.test(refusal.message);

/** Why a Redis is unusable, for operators. */
export type RedisProblem = 'Redis does not answer.' | 'Redis takes no writes.' | 'Redis passes no messages on.';

/**
 * The node's connections to Redis. Redis may be absent at the start, die, hang, be replaced by another one or return at
 * any time: `healthy` is its current state, nothing waits for an unhealthy Redis, and nothing here throws. All
 * connections are with the same server, which takes writes: any other connection is closed and reopened.
 */
export class RedisConnections {
  /** For commands and publishing; rejects at once while Redis is away. */
  readonly commands: RedisClient;
  /** For the delivery's own subscriptions. */
  readonly subscriber: RedisClient;
  private readonly subscriptions: GatheredSubscriptions;
  /** For the Socket.IO adapter's subscriptions. */
  readonly adapterSubscriber: RedisClient;
  private readonly silent: SilentConnections;
  private isHealthy = false;
  private readonly timer: NodeJS.Timeout;
  private readonly watchers: ((healthy: boolean) => void)[] = [];
  private readonly log: Log;
  private readonly mistakes: SparseLog;
  /** The last error of a connection. */
  private failure: string | undefined;
  /** Why Redis is not healthy. */
  private reason: string | undefined;
  private readonly states = new StateLog<boolean>(false, (healthy, leftOut) => this.report(healthy, leftOut));
  private readonly isCluster: boolean;
  private readonly prefix: string;
  /** The channel of control messages between nodes. */
  readonly controlChannel: string;
  /** For messages of this node to itself. */
  private readonly echoChannel: string;
  private readonly echo: RedisEcho;
  private readonly scout: RedisScout;
  private readonly scoutTimer: NodeJS.Timeout;
  /** Written by the health check, and by nobody else. */
  private readonly healthKey: string;
  private readonly clients: RedisClient[];
  private trouble: RedisProblem = 'Redis does not answer.';
  private leftAt = Number.NEGATIVE_INFINITY;
  private checking = false;
  /** A connection was opened: the result of a check in progress may be out of date. */
  private isChanged = false;
  private lastAnswerMs = 0;

  /** @returns null for a single node */
  static of(settings: Settings, log: Log): RedisConnections | null {
    const { redisUrl: url, redisCluster: cluster, redisSentinels: sentinels, redisPrefix: prefix } = settings;
    return url === null ? null : new RedisConnections({ url, cluster, sentinels, prefix }, log);
  }

  constructor(place: RedisPlace, log: Log) {
    this.log = log;
    this.mistakes = new SparseLog(log);
    this.isCluster = place.cluster;
    this.prefix = place.prefix;
    this.controlChannel = this.named('control');
    const id = randomBytes(6).toString('hex');
    this.echoChannel = this.besideControl(`echo:${id}`);
    this.healthKey = this.besideControl(`health:${id}`);
    this.commands = redisClient(place, 'fail', answerMs);
    this.subscriber = redisClient(place, 'wait');
    this.subscriptions = new GatheredSubscriptions(this.subscriber);
    this.adapterSubscriber = redisClient(place, 'wait');
    this.clients = [this.commands, this.subscriber, this.adapterSubscriber];
    for (const client of this.clients) {
      client.on('error', (error) => this.note(error));
      // A node that can publish but not receive would trust caches whose drops it never got.
      client.on('close', () => this.lost());
      client.on('ready', () => {
        this.isChanged = true;
        void this.check();
      });
    }
    this.silent = new SilentConnections(this.clients);
    this.echo = new RedisEcho(this.listeners, (text) => this.publish(this.echoChannel, text));
    this.listenForEcho();
    this.timer = setInterval(() => void this.check(), healthCheckMs);
    this.scout = new RedisScout(place, this.commands, this.named(`scout:${id}`));
    this.scoutTimer = setInterval(() => void this.lookForAnother(), scoutMs);
  }

  /** The prefixed name of a key or channel, separate from other deployments on the same Redis. */
  named(what: string): string {
    return `${this.prefix}:${what}`;
  }

  /** The same for a channel that in a cluster is on the shard of the control channel, which the health check tests. */
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
  subscribe(channel: string): Promise<void> {
    return this.subscriptions.subscribe(channel);
  }

  unsubscribe(channel: string): Promise<void> {
    return this.subscriptions.unsubscribe(channel);
  }

  /** Calls `listener` with messages on subscribed channels. */
  onMessage(listener: (channel: string, text: string) => void): void {
    this.subscriber.on(this.isCluster ? 'smessage' : 'message', listener);
  }

  get healthy(): boolean {
    return this.isHealthy;
  }

  /** The problem with Redis; null: it is healthy. */
  get problem(): RedisProblem | null {
    return this.isHealthy ? null : this.trouble;
  }

  /** How long Redis took to answer the last health check. */
  get answerMs(): number {
    return this.lastAnswerMs;
  }

  /** Calls `listener` whenever Redis becomes reachable or unreachable. */
  onHealth(listener: (healthy: boolean) => void): void {
    this.watchers.push(listener);
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
    clearInterval(this.scoutTimer);
    this.silent.close();
    this.states.close();
    this.watchers.length = 0;
    // A failure from here on is not worth reporting.
    this.isHealthy = false;
    for (const client of this.clients) client.disconnect();
  }

  /** Logs a refusal by Redis that a node can ignore, as when its disk is full or it became a replica. */
  noteRefusal(error: unknown): void {
    if (isRefusal(error)) this.mistakes.warn({ reason: error.message }, {}, refused);
  }

  private async check(): Promise<void> {
    // With a hung Redis pings would pile up; one at a time is enough.
    if (this.checking) return;
    this.checking = true;
    this.isChanged = false;
    // Waits for both: the first failure says little about the cause.
    const [written, listening] = await Promise.allSettled([this.write(), this.listens()]);
    this.checking = false;
    const failures: unknown[] = [written, listening].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const refusal = failures.find(isRefusal);
    if (refusal) this.failure = refusal.message;
    this.trouble = troubleOf(written);
    this.setHealthy(failures.length === 0);
    if (this.isChanged) return this.check();
    if (refusal && isNoPrimary(refusal)) this.leave(refusal.message);
    else if (failures.some((failure) => failure instanceof Unheard)) this.leave('A subscriber hears nothing.');
  }

  /** Servers that take no writes answer pings too. */
  private async write(): Promise<void> {
    const asked = performance.now();
    await this.commands.set(this.healthKey, '', 'PX', writtenMs);
    this.lastAnswerMs = performance.now() - asked;
  }

  private async listens(): Promise<void> {
    if (this.listeners.some(({ status }) => status !== 'ready')) throw new Error('The subscriber is not connected.');
    // Renewed subscriptions are in effect when a ping is answered: they were sent before.
    const pings = this.isCluster ? [] : this.listeners.map((client) => client.ping());
    let refusal: unknown;
    const answered = Promise.all(pings).catch((error) => {
      refusal = error;
      throw error;
    });
    if (!(await within(answered, answerMs))) throw refusal ?? new Error('The subscriber does not answer.');
    if (!(await this.echo.reaches(answerMs))) throw new Unheard('The subscriber hears nothing.');
  }

  /** A cluster's subscribers have many connections; the one for control messages is the one that matters. */
  private get listeners(): RedisClient[] {
    return this.isCluster ? [this.subscriber] : [this.subscriber, this.adapterSubscriber];
  }

  private listenForEcho(): void {
    for (const client of this.listeners) {
      client.on(this.isCluster ? 'smessage' : 'message', (channel: string, text: string) => {
        if (channel === this.echoChannel) this.echo.heard(client, text);
      });
    }
    void this.subscribe(this.echoChannel);
    if (!this.isCluster) void this.adapterSubscriber.subscribe(this.echoChannel);
  }

  private async lookForAnother(): Promise<void> {
    if (await this.scout.findsAnother()) this.leave('New connections lead to another Redis.');
  }

  /**
   * Moves all connections to the server that new ones reach: if half stayed, they would miss the others' messages. A
   * cluster's client finds its servers by itself.
   */
  private leave(reason: string): void {
    const now = performance.now();
    if (this.isCluster || now - this.leftAt < healthCheckMs) return;
    this.leftAt = now;
    this.failure = reason;
    for (const client of this.clients) leave(client, reason);
  }

  private lost(): void {
    if (this.isHealthy) this.trouble = 'Redis does not answer.';
    this.setHealthy(false);
  }

  /** The health check reports a broken connection, but would miss a refusal on a working one. */
  private note(error: Error): void {
    if (error instanceof StrangeMessage) this.mistakes.warn({}, { err: error.cause }, error.message);
    else this.failure = error.message;
    this.noteRefusal(error);
  }

  private report(healthy: boolean, leftOut: number): void {
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
    for (const watcher of this.watchers) watcher(healthy);
  }
}

/** @param written how the health check's write ended */
function troubleOf(written: PromiseSettledResult<void>): RedisProblem {
  if (written.status === 'fulfilled') return 'Redis passes no messages on.';
  return isRefusal(written.reason) ? 'Redis takes no writes.' : 'Redis does not answer.';
}

/** A published message did not arrive at a subscriber that answers. */
class Unheard extends Error {}
