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
const key = 'parley:streams';
const lookMs = 2000;
/** The node of a stream ends it itself; only when it is gone do others. */
const slackMs = 2000;
const atOnce = 100;

/**
 * Replies that are being made on all nodes, each with the time at which it ends if nothing more comes: when a node dies,
 * the others end its streams. Without Redis there is one node, and nothing to do.
 */
export class StreamLeases {
  private readonly redis: RedisConnections | null;
  private readonly onEnd: (place: StreamPlace) => void;
  private readonly timer: NodeJS.Timeout | undefined;

  /** @param onEnd called on one node for a stream that nobody has carried on */
  constructor(redis: RedisConnections | null, onEnd: (place: StreamPlace) => void) {
    this.redis = redis;
    this.onEnd = onEnd;
    if (redis) this.timer = setInterval(() => void this.look(), lookMs);
  }

  carryOn(place: StreamPlace, forMs: number): void {
    if (!this.redis?.healthy) return;
    const until = Date.now() + forMs + slackMs;
    void this.redis.commands.zadd(key, until, nameOf(place)).catch(() => {});
  }

  /** Whether it has begun already, on whichever node. */
  async hasBegun(place: StreamPlace): Promise<boolean> {
    if (!this.redis?.healthy) return false;
    return (await this.redis.commands.zscore(key, nameOf(place)).catch(() => null)) !== null;
  }

  end(place: StreamPlace): void {
    if (!this.redis?.healthy) return;
    void this.redis.commands.zrem(key, nameOf(place)).catch(() => {});
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const { redis } = this;
    if (!redis?.healthy) return;
    // Whatever goes wrong, the next look finds it again.
    const overdue = await redis.commands.zrangebyscore(key, 0, Date.now(), 'LIMIT', 0, atOnce).catch(() => []);
    for (const name of overdue) {
      const taken = await redis.commands.zrem(key, name).catch(() => 0);
      const place = placeSchema.safeParse(JSON.parse(name));
      if (taken === 1 && place.success) this.onEnd(place.data);
    }
  }
}

function nameOf({ userId, streamId, channelId, threadId }: StreamPlace): string {
  return JSON.stringify({ userId, streamId, channelId, threadId });
}
