import { z } from 'zod';
import type { RedisConnections } from '../../../infrastructure/redis.ts';
import type { StreamPlace } from './stream.table.ts';

const placeSchema = z.object({
  userId: z.string(),
  streamId: z.string(),
  channelId: z.string(),
  threadId: z.string().nullable(),
});
const overdueSchema = z.array(z.string());

// By Redis's clock: those of nodes differ, and one that is ahead would end the streams of the others.
const now = `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
/** ARGV: name, ms until it expires */
const carryOn = `${now}
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])`;
const cutMark = 'cut ';
/** ARGV: name, ms for which it is remembered as cut short */
const cut = `${now}
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), '${cutMark}' .. ARGV[1])`;
/** ARGV: how many at most, ms for which they are remembered as cut short. Returns expired ones, for one node to end. */
const takeOverdue = `${now}
  local ended = {}
  for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, tonumber(ARGV[1]))) do
    redis.call('ZREM', KEYS[1], name)
    if string.sub(name, 1, ${cutMark.length}) ~= '${cutMark}' then
      redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), '${cutMark}' .. name)
      table.insert(ended, name)
    end
  end
  return ended`;

const pollMs = 2000;
/** A stream's own node ends it; others do so only if that node is gone. */
const slackMs = 2000;
const atOnce = 100;
/** A stream that continues after this long is a new one. */
export const cutKnownMs = 60 * 60 * 1000;

/**
 * Replies in progress on all nodes, each with the time at which it expires without more pieces: when a node dies, the
 * others end its streams. Without Redis there is one node, and nothing to do.
 */
export class StreamLeases {
  private readonly redis: RedisConnections | null;
  private readonly key: string;
  private readonly onEnd: (place: StreamPlace) => void;
  private timer: NodeJS.Timeout | undefined;

  /** @param onEnd called on one node for a stream that nobody has continued */
  constructor(redis: RedisConnections | null, onEnd: (place: StreamPlace) => void) {
    this.redis = redis;
    this.key = redis?.named('streams') ?? '';
    this.onEnd = onEnd;
  }

  /** From now on this process ends the streams of dead nodes, since it has sockets to notify. */
  start(): void {
    if (this.redis) this.timer = setInterval(() => void this.poll(), pollMs);
  }

  carryOn(place: StreamPlace, forMs: number): void {
    if (!this.redis?.healthy) return;
    void this.redis.commands.eval(carryOn, 1, this.key, nameOf(place), forMs + slackMs).catch(() => {});
  }

  /** Whether it has started already, on any node, even if it was cut short since. */
  async hasBegun(place: StreamPlace): Promise<boolean> {
    if (!this.redis?.healthy) return false;
    const { commands } = this.redis;
    const name = nameOf(place);
    const scores = await Promise.all([
      commands.zscore(this.key, name),
      commands.zscore(this.key, cutMark + name),
    ]).catch(() => []);
    return scores.some((score) => score !== null);
  }

  /** Those in progress on all nodes. @returns undefined: Redis is away, or there is none */
  async inProgress(): Promise<StreamPlace[] | undefined> {
    if (!this.redis?.healthy) return undefined;
    const names = await this.redis.commands.zrange(this.key, 0, -1).catch(() => null);
    return names?.filter((name) => !name.startsWith(cutMark)).flatMap((name) => placeIn(name) ?? []);
  }

  /** Marks a stream that ended incomplete: its further pieces are not the whole. */
  cut(place: StreamPlace): void {
    if (!this.redis?.healthy) return;
    void this.redis.commands.eval(cut, 1, this.key, nameOf(place), cutKnownMs).catch(() => {});
  }

  end(place: StreamPlace): void {
    if (!this.redis?.healthy) return;
    const name = nameOf(place);
    void this.redis.commands.zrem(this.key, name, cutMark + name).catch(() => {});
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async poll(): Promise<void> {
    const { redis } = this;
    if (!redis?.healthy) return;
    // Other code reports that Redis is down or full; the next poll finds what this one could not take.
    const overdue = overdueSchema.safeParse(
      await redis.commands.eval(takeOverdue, 1, this.key, atOnce, cutKnownMs).catch(() => []),
    );
    for (const name of overdue.data ?? []) {
      const place = placeIn(name);
      if (place) this.onEnd(place);
    }
  }
}

const placeIn = (name: string): StreamPlace | undefined => placeSchema.safeParse(JSON.parse(name)).data;

function nameOf({ userId, streamId, channelId, threadId }: StreamPlace): string {
  return JSON.stringify({ userId, streamId, channelId, threadId });
}
