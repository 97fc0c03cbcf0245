import { z } from 'zod';
import type { RedisConnections } from '../../infrastructure/redis.ts';

/** A reply that is being made, as far as others have to know to end it. */
export interface StreamPlace {
  userId: string;
  streamId: string;
  channelId: string;
  threadId: string | null;
}

const placeSchema = z.object({
  userId: z.string(),
  streamId: z.string(),
  channelId: z.string(),
  threadId: z.string().nullable(),
});
const overdueSchema = z.array(z.string());

// By the clock of Redis: those of nodes differ, and one that is ahead would end what is being made on the others.
const now = `local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
/** ARGV: name, ms until it ends */
const carryOn = `${now}
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])`;
const cutMark = 'cut ';
/** ARGV: name, ms for which it is known that it was cut */
const cut = `${now}
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), '${cutMark}' .. ARGV[1])`;
/** ARGV: how many at most, ms for which it is known that they were cut. Returns those that are over, for one node to end. */
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

const lookMs = 2000;
/** The node of a stream ends it itself; only when it is gone do others. */
const slackMs = 2000;
const atOnce = 100;
/** Whoever goes on after so long has begun anew. */
export const cutKnownMs = 60 * 60 * 1000;

/**
 * Replies that are being made on all nodes, each with the time at which it ends if nothing more comes: when a node dies,
 * the others end its streams. Without Redis there is one node, and nothing to do.
 */
export class StreamLeases {
  private readonly redis: RedisConnections | null;
  private readonly key: string;
  private readonly onEnd: (place: StreamPlace) => void;
  private timer: NodeJS.Timeout | undefined;

  /** @param onEnd called on one node for a stream that nobody has carried on */
  constructor(redis: RedisConnections | null, onEnd: (place: StreamPlace) => void) {
    this.redis = redis;
    this.key = redis?.named('streams') ?? '';
    this.onEnd = onEnd;
  }

  /** From now on this process ends what others left behind, and is heard by those who listen. */
  start(): void {
    if (this.redis) this.timer = setInterval(() => void this.look(), lookMs);
  }

  carryOn(place: StreamPlace, forMs: number): void {
    if (!this.redis?.healthy) return;
    void this.redis.commands.eval(carryOn, 1, this.key, nameOf(place), forMs + slackMs).catch(() => {});
  }

  /** Whether it has begun already, on whichever node, be it that it was cut short since. */
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

  /** It is over without an end: what still comes of it is not the whole. */
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

  private async look(): Promise<void> {
    const { redis } = this;
    if (!redis?.healthy) return;
    // Redis that is away or full is no news here; what could not be taken, the next look finds.
    const overdue = overdueSchema.safeParse(
      await redis.commands.eval(takeOverdue, 1, this.key, atOnce, cutKnownMs).catch(() => []),
    );
    for (const name of overdue.data ?? []) {
      const place = placeSchema.safeParse(JSON.parse(name));
      if (place.success) this.onEnd(place.data);
    }
  }
}

function nameOf({ userId, streamId, channelId, threadId }: StreamPlace): string {
  return JSON.stringify({ userId, streamId, channelId, threadId });
}
