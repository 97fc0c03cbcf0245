import { z } from 'zod';
import type { Database, Rows } from '../../../database/database.ts';
import type { RedisConnections } from '../../../infrastructure/redis.ts';
import { type KeptStream, type StreamPlace, streamTable } from './stream.table.ts';

/** What names a reply: its author chooses the id, once in a channel. */
export type StreamKey = Pick<StreamPlace, 'userId' | 'channelId' | 'streamId'>;

/** What is kept in Redis, with the version that it is. */
export interface Kept {
  kept: KeptStream;
  version: number;
}

/** `kept`; `moved`: another node has taken pieces since; `ended`: it was ended, and takes no more. */
type Outcome = 'kept' | 'moved' | 'ended';

const keptSchema = z.object({
  place: z.object({
    userId: z.string(),
    streamId: z.string(),
    channelId: z.string(),
    threadId: z.string().nullable(),
  }),
  replyToId: z.string().nullable(),
  content: z.string(),
  shown: z.number(),
  isBroken: z.boolean(),
  isServed: z.boolean(),
  startedAt: z.number(),
});

/** ARGV: the version that the node knows, the text, ms for which it is kept. */
const keep = `if redis.call('HGET', KEYS[1], 'ended') then return 'ended' end
  if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return 'moved' end
  redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'text', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 'kept'`;
/** ARGV: ms for which it is remembered that it was ended. Returns its text; false: there is none, or it was ended before. */
const end = `local text = redis.call('HGET', KEYS[1], 'text')
  if not text or redis.call('HGET', KEYS[1], 'ended') then return false end
  redis.call('HSET', KEYS[1], 'ended', '1')
  redis.call('HINCRBY', KEYS[1], 'version', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return text`;

const endedKnownMs = 24 * 60 * 60 * 1000;
/** Longer than a reply is in progress without a piece. */
const spareMs = 60_000;
const flushMs = 1000;

/**
 * The text so far of replies in progress: each piece in Redis before it is acknowledged, and every second in PostgreSQL. So
 * any node continues what another one began. Where Redis is away a node has its own in memory, and others what PostgreSQL has.
 */
export class StreamStore {
  /** Called for a reply of this node that was ended elsewhere, and was not told of that by Redis. */
  onEnded: (key: StreamKey) => void = () => {};
  private readonly database: Database;
  private readonly redis: RedisConnections | null;
  private readonly keptMs: number;
  /** Those whose text PostgreSQL does not have yet. */
  private readonly changed = new Map<string, KeptStream>();
  /** Those that PostgreSQL is to forget. */
  private readonly over = new Map<string, StreamKey>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> | undefined;

  constructor(database: Database, redis: RedisConnections | null, idleMs: number) {
    this.database = database;
    this.redis = redis;
    this.keptMs = idleMs + spareMs;
  }

  start(): void {
    this.timer = setInterval(() => void this.flush(), flushMs);
  }

  /** Writes what is new a last time, for the nodes that go on. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    await this.flush();
  }

  /** Keeps a reply as it is now. @returns what became of it */
  async keep(kept: KeptStream, version: number): Promise<{ outcome: Outcome; version: number }> {
    const name = nameOf(kept.place);
    this.changed.set(name, kept);
    const { redis } = this;
    if (!redis?.healthy) return { outcome: 'kept', version };
    const text = JSON.stringify(kept);
    const said = await redis.commands
      .eval(keep, 1, this.keyOf(name), String(version), text, String(this.keptMs))
      .catch(() => null);
    if (said === 'kept') return { outcome: 'kept', version: version + 1 };
    if (said === 'moved' || said === 'ended') {
      this.changed.delete(name);
      return { outcome: said, version };
    }
    // Redis has just gone.
    return { outcome: 'kept', version };
  }

  /** A reply as any node has it; `ended`: it takes no more. */
  async find(key: StreamKey): Promise<Kept | 'ended' | undefined> {
    const there = await this.inRedis(key);
    if (there) return there;
    if (this.over.has(nameOf(key))) return undefined;
    const row = await streamTable.find(this.database.rows, key);
    if (!row) return undefined;
    return row.state === 'open' ? { kept: row.kept, version: 0 } : 'ended';
  }

  /** As Redis has it. */
  async inRedis(key: StreamKey): Promise<Kept | 'ended' | undefined> {
    if (!this.redis?.healthy) return undefined;
    const found = await this.redis.commands.hgetall(this.keyOf(nameOf(key))).catch(() => null);
    if (found?.ended) return 'ended';
    const kept = keptSchema.safeParse(parsed(found?.text));
    return kept.success ? { kept: kept.data, version: Number(found?.version) } : undefined;
  }

  /** Whether another node has taken it over, or it was ended, since this node knew this version. */
  async isElsewhere(key: StreamKey, version: number): Promise<boolean> {
    if (!this.redis?.healthy || version === 0) return false;
    const known = await this.redis.commands.hget(this.keyOf(nameOf(key)), 'version').catch(() => String(version));
    return known !== String(version);
  }

  /** Lets no more pieces in. @returns the text so far, if Redis has it */
  async end(key: StreamKey): Promise<KeptStream | undefined> {
    const name = nameOf(key);
    this.changed.delete(name);
    if (!this.redis?.healthy) return undefined;
    const text = await this.redis.commands.eval(end, 1, this.keyOf(name), String(endedKnownMs)).catch(() => null);
    const kept = keptSchema.safeParse(parsed(text));
    return kept.success ? kept.data : undefined;
  }

  /** Forgets a reply that has become a message, or nothing. */
  remove(key: StreamKey): void {
    const name = nameOf(key);
    this.changed.delete(name);
    this.over.set(name, key);
    if (this.redis?.healthy) void this.redis.commands.del(this.keyOf(name)).catch(() => {});
  }

  private keyOf(name: string): string {
    return this.redis?.named(`stream:${name}`) ?? '';
  }

  private flush(): Promise<void> {
    // What fails is tried again in a second: the database may be away.
    this.flushing ??= this.write()
      .catch(() => {})
      .finally(() => {
        this.flushing = undefined;
      });
    return this.flushing;
  }

  private async write(): Promise<void> {
    const { rows } = this.database;
    // First: one of the same name may have begun since.
    const over = [...this.over];
    if (over.length > 0)
      await streamTable.remove(
        rows,
        over.map(([, key]) => key),
      );
    for (const [name, key] of over) if (this.over.get(name) === key) this.over.delete(name);
    await this.writeChanged(rows);
  }

  private async writeChanged(rows: Rows): Promise<void> {
    const changed = [...this.changed];
    if (changed.length === 0) return;
    this.changed.clear();
    try {
      const open = new Set(
        (
          await streamTable.keep(
            rows,
            changed.map(([, kept]) => kept),
          )
        ).map(nameOf),
      );
      for (const [name, { place }] of changed) {
        if (!open.has(name)) this.onEnded(place);
      }
    } catch (error) {
      for (const [name, kept] of changed)
        if (!this.changed.has(name) && !this.over.has(name)) this.changed.set(name, kept);
      throw error;
    }
  }
}

export const nameOf = ({ userId, channelId, streamId }: StreamKey) => `${userId} ${channelId} ${streamId}`;

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}
