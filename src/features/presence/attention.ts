import { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { clock } from '../../infrastructure/clock.ts';
import type { RedisConnections } from '../../infrastructure/redis.ts';
import { GatheredCommands } from '../../infrastructure/redis-gathered.ts';
import type { Attendance } from './attendance.ts';

const renewMs = 15_000;
/** What a node that has died reported counts for this long. */
const holdMs = 45_000;
/** So long after they used a device that says nothing of it someone counts as being there. */
const useMs = 3 * 60_000;
/** Of someone who looks at a device for long, it is kept that often. */
const renewalsPerNote = 20;

const membersSchema = z.array(z.string());

/** A connection of one of someone's devices. */
export interface Device {
  socketId: string;
  userId: string;
  sessionId: string;
}

/** What a connection has said: that someone looks, that nobody does, or nothing so far. */
type Said = 'looking' | 'away' | 'silent';

/** What is known of a session's connections; it lasts until a time. */
type Fact = 'looking' | 'silent' | 'used';

/** A session as this node knows it. */
interface Known {
  userId: string;
  sockets: Map<string, Said>;
}

interface Use {
  at: number;
  toldAt: number;
}

/**
 * Which devices people are at, on all nodes (contract §9, Attention): those with a connection that says that someone looks,
 * and those whose connections have said nothing and that were used in the last minutes. It decides what is pushed, and keeps
 * for mails of what was missed when someone was there last. Without Redis each node knows its own.
 */
export class Attention {
  private readonly redis: RedisConnections | null;
  private readonly commands: GatheredCommands | null;
  private readonly nodeId: string;
  private readonly attendance: Pick<Attendance, 'note' | 'close'>;
  /** By session. */
  private readonly here = new Map<string, Known>();
  private readonly ofUser = new Map<string, Set<string>>();
  private readonly uses = new Map<string, Use>();
  private timer: NodeJS.Timeout | undefined;
  private renewals = 0;

  constructor(redis: RedisConnections | null, nodeId: string, attendance: Pick<Attendance, 'note' | 'close'>) {
    this.redis = redis;
    this.commands = redis && new GatheredCommands(redis.commands);
    this.nodeId = nodeId;
    this.attendance = attendance;
  }

  /** From now on this node renews what it has reported. */
  start(): void {
    this.timer = setInterval(() => this.renew(), renewMs).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.attendance.close();
  }

  /** A connection begins, says something of its user's attention, or ends. */
  async note({ socketId, userId, sessionId }: Device, said: Said | 'gone'): Promise<void> {
    const known = this.here.get(sessionId) ?? { userId, sockets: new Map<string, Said>() };
    const before = factsOf(known);
    if (said === 'gone') known.sockets.delete(socketId);
    else known.sockets.set(socketId, said);
    if (known.sockets.size > 0) this.here.set(sessionId, known);
    else this.here.delete(sessionId);
    this.index(userId, sessionId, known.sockets.size > 0);
    const now = factsOf(known);
    if (before.has('looking') !== now.has('looking')) this.attendance.note(sessionId);
    const changed = (['looking', 'silent'] as const).filter((fact) => before.has(fact) !== now.has(fact));
    await Promise.all(changed.map((fact) => this.report(userId, sessionId, fact, now.has(fact))));
  }

  /** Someone wrote, read or changed something with a session. Programs are no devices, and bots have none. */
  used({ userId, sessionId }: Pick<Actor, 'userId' | 'sessionId'>): void {
    if (sessionId === null) return;
    const now = clock.now();
    const toldAt = this.uses.get(sessionId)?.toldAt ?? 0;
    const isTold = now - toldAt < renewMs;
    this.uses.set(sessionId, { at: now, toldAt: isTold ? toldAt : now });
    if (isTold) return;
    this.attendance.note(sessionId);
    void this.report(userId, sessionId, 'used', true);
  }

  /** The sessions at whose devices a user is, on any node. */
  async sessionsOf(userId: string): Promise<Set<string>> {
    const facts = { looking: new Set<string>(), silent: new Set<string>(), used: new Set<string>() };
    for (const sessionId of this.ofUser.get(userId) ?? []) {
      for (const fact of factsOf(this.here.get(sessionId))) facts[fact].add(sessionId);
      if (this.isInUse(sessionId)) facts.used.add(sessionId);
    }
    for (const { sessionId, fact } of await this.reported(userId)) facts[fact].add(sessionId);
    return new Set([...facts.looking, ...[...facts.silent].filter((sessionId) => facts.used.has(sessionId))]);
  }

  private isInUse(sessionId: string): boolean {
    return clock.now() - (this.uses.get(sessionId)?.at ?? 0) < useMs;
  }

  /** What all nodes have reported; of this one only what others could not know. */
  private async reported(userId: string): Promise<{ sessionId: string; fact: Fact }[]> {
    if (!this.redis?.healthy || !this.commands) return [];
    const found = this.commands.run('zrangebyscore', this.keyOf(userId), clock.now(), '+inf');
    // What is not known elsewhere counts as not there: a push too many is better than one that never comes.
    const members = membersSchema.parse(await found.catch(() => []));
    return members.flatMap((member) => {
      const [sessionId = '', nodeId, fact = 'looking'] = member.split(' ');
      return nodeId !== this.nodeId && isFact(fact) ? { sessionId, fact } : [];
    });
  }

  private renew(): void {
    const isNoted = ++this.renewals % renewalsPerNote === 0;
    for (const [sessionId, known] of this.here) {
      for (const fact of factsOf(known)) {
        if (fact === 'looking' && isNoted) this.attendance.note(sessionId);
        void this.report(known.userId, sessionId, fact, true);
      }
    }
    for (const sessionId of this.uses.keys()) if (!this.isInUse(sessionId)) this.uses.delete(sessionId);
  }

  /** What is lost on the way is repeated, or ends by itself. Nodes of the version before know only the first two words. */
  private async report(userId: string, sessionId: string, fact: Fact, isTrue: boolean): Promise<void> {
    if (!this.redis?.healthy || !this.commands) return;
    const holder = fact === 'used' ? '*' : this.nodeId;
    const [key, member] = [this.keyOf(userId), [sessionId, holder, ...(fact === 'looking' ? [] : [fact])].join(' ')];
    const until = (fact === 'used' ? useMs : holdMs) + clock.now();
    const commands = isTrue
      ? [this.commands.run('zadd', key, until, member), this.commands.run('pexpire', key, useMs)]
      : [this.commands.run('zrem', key, member)];
    await Promise.all(commands).catch(() => {});
  }

  private index(userId: string, sessionId: string, isHere: boolean): void {
    const sessions = this.ofUser.get(userId) ?? new Set<string>();
    if (isHere) sessions.add(sessionId);
    else sessions.delete(sessionId);
    if (sessions.size > 0) this.ofUser.set(userId, sessions);
    else this.ofUser.delete(userId);
  }

  private keyOf(userId: string): string {
    return this.redis?.named(`attention:${userId}`) ?? '';
  }
}

const isFact = (text: string): text is Fact => ['looking', 'silent', 'used'].includes(text);

function factsOf(known: Known | undefined): Set<'looking' | 'silent'> {
  const facts = new Set<'looking' | 'silent'>();
  for (const said of known?.sockets.values() ?? []) if (said !== 'away') facts.add(said);
  return facts;
}
