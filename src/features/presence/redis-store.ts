import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { isStatus, type Status, type StatusChange } from '../../contract/presence.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Arrival, type PresenceStore, type StoreListener, wishFreshMs } from './presence.store.ts';

const script = (name: string): string => {
  const read = (file: string) => readFileSync(path.join(import.meta.dirname, `${file}.lua`), 'utf8');
  return `${read('common')}\n${read(name)}`;
};
const scripts = {
  arrive: script('arrive'),
  leave: script('leave'),
  wish: script('wish'),
  beat: script('beat'),
  renew: script('renew'),
  retire: script('retire'),
};

/** How many users one call takes, so that no script blocks Redis for long. */
const chunkSize = 500;

const renewedSchema = z.tuple([z.number(), z.number(), z.number()]);

/** What the node does when it and the store have lost track of each other. */
export interface RedisStoreEvents {
  /** Redis does not know this node: everyone connected here has to be reported again. */
  forgotten(): void;
  /** Redis was emptied while running: it has forgotten all nodes, and counts from the beginning. */
  emptied(): void;
  /** A message did not arrive here. */
  missed(): void;
}

/** Presence across nodes: leases in Redis, changed by the scripts in this folder. Calls reject while Redis is away. */
export class RedisPresenceStore implements PresenceStore {
  private readonly redis: RedisConnections;
  private readonly nodeId: string;
  private readonly settings: Settings['presence'];
  private readonly log: Log;
  private readonly channel: string;
  /** The scripts touch many keys at once: in a cluster the hash tag puts all of them on one shard. */
  private readonly prefix: string;
  private listener: StoreListener = { changed: () => {}, hurried: () => {} };
  private events: RedisStoreEvents = { forgotten: () => {}, emptied: () => {}, missed: () => {} };
  /** Of the last message received; null: unknown. */
  private version: number | null = null;
  private timer: NodeJS.Timeout | undefined;
  /** Settles when changes arrive here. */
  private subscribed: Promise<unknown> = Promise.resolve();

  constructor(redis: RedisConnections, nodeId: string, settings: Settings['presence'], log: Log) {
    this.redis = redis;
    this.nodeId = nodeId;
    this.settings = settings;
    this.log = log;
    this.channel = redis.named('presence');
    this.prefix = `{${this.channel}}:`;
  }

  /** From now on this node gets the changes of the others, and they get its own. */
  start(events: RedisStoreEvents): void {
    this.events = events;
    this.redis.subscriber.on('message', (from: string, text: string) => {
      if (from === this.channel) this.hear(text);
    });
    this.subscribed = this.redis.subscriber.subscribe(this.channel).catch(() => {});
    this.timer = setInterval(() => void this.tryToRenew(), this.settings.renewMs);
    void this.tryToRenew();
  }

  listen(listener: StoreListener): void {
    this.listener = listener;
  }

  get ready(): boolean {
    return this.redis.healthy;
  }

  async arrive(arrivals: Arrival[]): Promise<void> {
    for (const chunk of chunks(arrivals)) {
      const known = await this.run(
        scripts.arrive,
        this.nodeId,
        chunk.flatMap(({ userId, wish }) => [userId, wish]),
      );
      if (known !== 0) continue;
      await this.renew();
      return;
    }
  }

  async leave(userIds: string[]): Promise<void> {
    for (const chunk of chunks(userIds)) await this.run(scripts.leave, this.nodeId, chunk);
  }

  async wish(userId: string, status: Status): Promise<void> {
    await this.run(scripts.wish, userId, [status, String(wishFreshMs)]);
  }

  async beat({ userId, wish }: Arrival, ms: number): Promise<void> {
    await this.run(scripts.beat, userId, [String(ms), wish]);
  }

  async hurry(userId: string): Promise<void> {
    await this.run(scripts.beat, userId, ['0']);
    await this.redis.commands.publish(this.channel, `now\n${userId}`);
  }

  /**
   * Reads everyone who is not offline, some hundreds at a time: all at once would hold up both Redis and this node. What
   * the listener gets meanwhile is newer than what is read.
   * @param take gets each part; someone may be in two of them
   */
  async readAll(take: (part: StatusChange[]) => void): Promise<void> {
    await this.subscribed;
    const before = this.version;
    // Everything up to it is in what is read from here on.
    const version = Number((await this.redis.commands.get(`${this.prefix}version`)) ?? 0);
    if (this.version === before) {
      // It counted further than Redis, which has lost something.
      if (before !== null && before > version) this.events.missed();
      this.version = version;
    }
    let cursor = '0';
    do {
      const [next, fields] = await this.redis.commands.hscan(`${this.prefix}told`, cursor, 'COUNT', chunkSize);
      take(pairs(fields));
      cursor = next;
    } while (cursor !== '0');
  }

  /** Redis was away: its counter may have restarted. */
  loseCount(): void {
    this.version = null;
  }

  /** Renews this node's lease, and does any clean-up that is due. @returns whether Redis still knew this node */
  async renew(): Promise<boolean> {
    let isKnown = true;
    for (let rounds = 0; rounds < 100; rounds++) {
      const { deadAfterMs } = this.settings;
      const heard = this.version;
      const answer = await this.run(scripts.renew, this.nodeId, [String(deadAfterMs), String(chunkSize)]);
      const [known, more, version] = renewedSchema.parse(answer);
      if (heard !== null && version < heard) this.events.emptied();
      else if (known === 0) this.events.forgotten();
      isKnown &&= known === 1;
      if (this.version !== null && version > this.version) this.expect(version);
      if (more === 0) break;
    }
    return isKnown;
  }

  /** The next time is soon; what Redis refuses then is refused to all of presence. */
  private async tryToRenew(): Promise<void> {
    await this.renew().catch((error) => this.redis.noteRefusal(error));
  }

  /** The node stops: its users count as connected for one more grace period. */
  async retire(): Promise<void> {
    clearInterval(this.timer);
    const { deadAfterMs, graceMs } = this.settings;
    await this.run(scripts.retire, this.nodeId, [String(deadAfterMs), String(graceMs)]).catch(() => {
      this.log.debug('This node could not say good-bye to Redis.');
    });
  }

  private async run(text: string, first: string, rest: string[]): Promise<unknown> {
    return this.redis.commands.eval(text, 1, this.prefix, this.channel, first, ...rest);
  }

  private hear(text: string): void {
    const [head, ...lines] = text.split('\n');
    if (head === 'now') {
      for (const userId of lines) this.listener.hurried(userId);
      return;
    }
    const version = Number(head);
    if (!Number.isSafeInteger(version)) return;
    if (this.version !== null && version <= this.version) return;
    const isNext = this.version === null || version === this.version + 1;
    this.version = version;
    this.listener.changed(pairs(lines.flatMap((line) => line.split(' '))));
    if (!isNext) this.events.missed();
  }

  /** Messages up to `version` should have arrived by the next renewal. */
  private expect(version: number): void {
    const timer = setTimeout(() => {
      if (this.version !== null && this.version < version) this.events.missed();
    }, this.settings.renewMs);
    timer.unref();
  }
}

function* chunks<T>(items: T[]): Iterable<T[]> {
  for (let at = 0; at < items.length; at += chunkSize) yield items.slice(at, at + chunkSize);
}

function pairs(fields: string[]): StatusChange[] {
  const changes: StatusChange[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [userId, status] = fields.slice(i, i + 2);
    if (userId && isStatus(status)) changes.push({ userId, status });
  }
  return changes;
}
