import { z } from 'zod';
import { clock } from '../../infrastructure/clock.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import { GatheredCommands } from '../../infrastructure/redis-gathered.ts';

const renewMs = 15_000;
/** What a node that has died reported counts for this long. */
const holdMs = 45_000;

const membersSchema = z.array(z.string());

/** A connection of one of someone's devices. */
interface Device {
  socketId: string;
  userId: string;
  sessionId: string;
}

/**
 * Which devices people are active on, on all nodes: those with a connection that has not said that nobody is looking
 * (contract §9). A node reports a session as its first connection becomes active, and as its last one no longer is.
 * Without Redis it knows its own.
 */
export class Attention {
  private readonly redis: RedisConnections | null;
  private readonly commands: GatheredCommands | null;
  private readonly nodeId: string;
  /** User → session → its active sockets here. */
  private readonly here = new Map<string, Map<string, Set<string>>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(redis: RedisConnections | null, nodeId: string) {
    this.redis = redis;
    this.commands = redis && new GatheredCommands(redis.commands);
    this.nodeId = nodeId;
  }

  /** From now on this node renews what it has reported. */
  start(): void {
    if (this.redis) this.timer = setInterval(() => this.renew(), renewMs).unref();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Someone looks at a device, or does not any more; also as its connection begins and ends. */
  async set({ socketId, userId, sessionId }: Device, isActive: boolean): Promise<void> {
    const sessions = this.here.get(userId) ?? new Map<string, Set<string>>();
    const sockets = sessions.get(sessionId) ?? new Set<string>();
    const was = sockets.size > 0;
    if (isActive) sockets.add(socketId);
    else sockets.delete(socketId);
    if (sockets.size > 0) sessions.set(sessionId, sockets);
    else sessions.delete(sessionId);
    if (sessions.size > 0) this.here.set(userId, sessions);
    else this.here.delete(userId);
    if (was !== sockets.size > 0) await this.report(userId, sessionId, sockets.size > 0);
  }

  /** The sessions of a user in which a device is active, on any node. */
  async sessionsOf(userId: string): Promise<Set<string>> {
    const active = new Set(this.here.get(userId)?.keys());
    if (!this.redis?.healthy || !this.commands) return active;
    const found = this.commands.run('zrangebyscore', this.keyOf(userId), clock.now(), '+inf');
    // What is not known elsewhere counts as not active: a push too many is better than one that never comes.
    for (const member of membersSchema.parse(await found.catch(() => []))) {
      const [sessionId = '', nodeId] = member.split(' ');
      if (nodeId !== this.nodeId) active.add(sessionId);
    }
    return active;
  }

  private renew(): void {
    for (const [userId, sessions] of this.here) {
      for (const sessionId of sessions.keys()) void this.report(userId, sessionId, true);
    }
  }

  /** What is lost on the way is repeated, or ends by itself. */
  private async report(userId: string, sessionId: string, isActive: boolean): Promise<void> {
    if (!this.redis?.healthy || !this.commands) return;
    const [key, member] = [this.keyOf(userId), `${sessionId} ${this.nodeId}`];
    const commands = isActive
      ? [this.commands.run('zadd', key, clock.now() + holdMs, member), this.commands.run('pexpire', key, holdMs)]
      : [this.commands.run('zrem', key, member)];
    await Promise.all(commands).catch(() => {});
  }

  private keyOf(userId: string): string {
    return this.redis?.named(`attention:${userId}`) ?? '';
  }
}
