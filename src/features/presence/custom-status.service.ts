import { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import {
  type CustomStatusRecord,
  presenceCustomStatus,
  type setCustomStatusSchema,
} from '../../contract/custom-status.ts';
import { circleRoom, serverRoom } from '../../contract/rooms.ts';
import { idSchema, timeSchema } from '../../contract/schema.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Change } from '../../delivery/changes.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import { Cache } from '../../infrastructure/cache.ts';
import { clock } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork, type JobKind } from '../../jobs/job.kind.ts';
import type { Context } from '../context.ts';
import { type PresenceAudience, watchersOf } from './audience.ts';
import { changedLately, clearSaid, readSaid, type Said, setSaid } from './custom-status.table.ts';

const statusCache = 'custom-statuses';
/** Recovered clients that come at about the same time are answered from one look-up. */
const latelyMs = 1000;
/** Whoever changed before these is asked for anew. */
const mostChanged = 5000;

/** Ends someone's status; its key is the user, so a changed one has one job. */
const endKind: JobKind<{ userId: string; until: string }> = {
  name: 'custom-status-end',
  schema: z.object({ userId: idSchema, until: timeSchema }),
};

/** Longer than any outage should be: others are told late rather than never. */
const retries = { attempts: 100, firstMs: 1000, longestMs: 60_000 };

interface Deps extends Pick<Context, 'database' | 'changes' | 'caches' | 'ephemeral' | 'jobs'> {
  audience: PresenceAudience;
  /** How long a client may be away and be recovered as if it had not been. */
  keptMs: number;
}

/** What people and bots say of themselves, for those who get their presence (contract §9). */
export class CustomStatuses {
  private readonly deps: Deps;
  private readonly known: Cache<Said>;
  private readonly reads: BatchedRead<Said>;
  private readonly lately = new Cache<string[]>({ max: 1, trust: () => latelyMs });

  constructor(deps: Deps) {
    this.deps = deps;
    this.known = deps.caches.create(statusCache, 50_000);
    this.reads = new BatchedRead((ids) => readSaid(deps.database.committedRows, ids));
  }

  /** Of those among some people who have one. For callers who may know of them. */
  async among(userIds: Iterable<string>): Promise<Map<string, CustomStatusRecord>> {
    const said = new Map<string, CustomStatusRecord>();
    const keep = (userId: string, value: Said | undefined) => {
      if (value?.said && !isOver(value.said)) said.set(userId, value.said);
    };
    const missing: Promise<unknown>[] = [];
    for (const userId of new Set(userIds)) {
      const value = this.known.get(userId, () => this.reads.read(userId));
      if (value instanceof Promise) missing.push(value.then((read) => keep(userId, read)));
      else keep(userId, value);
    }
    await Promise.all(missing);
    return said;
  }

  /** The same as a list. */
  async listed(userIds: Iterable<string>): Promise<(CustomStatusRecord & { userId: string })[]> {
    return Array.from(await this.among(userIds), ([userId, status]) => ({ userId, ...status }));
  }

  async of(userId: string): Promise<CustomStatusRecord | null> {
    return (await this.among([userId])).get(userId) ?? null;
  }

  /** What someone says of themselves to the actor, if that one may see their presence. */
  async shownTo(actor: Actor, userId: string): Promise<CustomStatusRecord | null> {
    const status = await this.of(userId);
    return status && (await this.deps.audience.knownTo(actor, [userId], false)).has(userId) ? status : null;
  }

  /** @throws AppError VALIDATION_FAILED for an end that is not ahead, or too far */
  async set({ userId }: Actor, input: z.output<typeof setCustomStatusSchema>): Promise<CustomStatusRecord> {
    const { emoji = null, text = null, until = null } = input;
    if (until !== null) requireAhead('until', until);
    const status = { emoji, text, until };
    await this.deps.changes.run(async (change) => {
      // A status that ends meanwhile has its job first, too.
      if (until !== null) {
        await this.deps.jobs.add(change, endKind, { userId, until }, { key: userId, runAt: new Date(until) });
      }
      await setSaid(change.rows, userId, status);
      this.announce(change, userId, status);
    });
    return status;
  }

  async clear({ userId }: Actor): Promise<void> {
    await this.deps.changes.run((change) => this.end(change, userId, null));
  }

  /** Statuses end at their time, whichever nodes are there then. */
  work(): InsideWork {
    return insideWork(
      endKind,
      async (change, jobs) => {
        for (const { data } of jobs) await this.end(change, data.userId, data.until);
      },
      { batch: 50, retries },
    );
  }

  /** Whose status has changed while a client was away that does not know of it. */
  async changedLately(): Promise<string[]> {
    const { database, keptMs } = this.deps;
    const read = () => changedLately(database.committedRows, keptMs / 1000, mostChanged);
    return (await this.lately.get('all', read)) ?? [];
  }

  private async end(change: Change, userId: string, until: string | null): Promise<void> {
    if (await clearSaid(change.rows, userId, until)) this.announce(change, userId, null);
  }

  /** To those who follow the person, as a change of their presence; not to everyone of a large server. */
  private announce(change: Change, userId: string, customStatus: CustomStatusRecord | null): void {
    change.afterCommit(() => this.deps.caches.forget(statusCache, [userId]));
    change.afterCommit(async () => {
      const places = (await this.deps.audience.placesOf([userId]).catch(() => null))?.get(userId);
      if (!places) return;
      const { servers, circles, people } = places;
      const shared = [...servers.map(serverRoom), ...circles.map(circleRoom)];
      const rooms = [...shared, ...people, ...watchersOf(userId, servers)];
      this.deps.ephemeral.emit(rooms, presenceCustomStatus, { userId, customStatus });
    });
  }
}

const isOver = ({ until }: CustomStatusRecord): boolean => until !== null && Date.parse(until) <= clock.now();
