import type { z } from 'zod';
import type { Change } from '../delivery/changes.ts';

/** A kind of job. Its name and shape are in the database, where nodes of other versions read them. */
export interface JobKind<D> {
  name: string;
  schema: z.ZodType<D>;
}

export interface Job<D> {
  id: string;
  data: D;
  /** How often it was begun before; outside work counts this attempt, too. */
  attempts: number;
}

/** A row of `jobs`, whose data may be from another version. */
export type JobRow = Job<unknown>;

/** When a job that fails runs again: after `firstMs`, twice as long each further time, `longestMs` at most. */
export interface Retries {
  /** After so many failed attempts it is dead. */
  attempts: number;
  firstMs: number;
  longestMs: number;
}

/** Jobs that change the database alone: they run in the change that deletes them, and so exactly once. */
export interface InsideWork {
  kind: string;
  retries: Retries;
  /** How many jobs one change takes. */
  batch: number;
  /** The pause after each change, for jobs of which there may be much to do. */
  pauseMs: number;
  /** @returns how many of the first of these jobs fit into one change, and what does them. @throws ZodError */
  open(rows: JobRow[]): { count: number; run(change: Change): Promise<void> };
}

/** Work outside of the database. @param over aborts once nobody waits for its end any more */
export type Effect = (over: AbortSignal) => Promise<void>;

/**
 * Jobs that do something outside of the database: each is leased, done and then deleted, and so done at least once. Of two
 * attempts of a job both know its id, which the outside gets as the key of the repeat.
 */
export interface OutsideWork {
  kind: string;
  retries: Retries;
  /** How many a node does at once. */
  concurrency: number;
  /** After so long it counts as failed, and another node may try. */
  limitMs: number;
  /**
   * For work that takes long: how long a node has it before it must renew its lease, so that another takes over soon after
   * that one died. A node that stops leaves it to the others at once. Absent: the lease lasts as long as the work may.
   */
  leaseMs?: number;
  /** @returns what is to be done outside; null: nothing, the job is over. @throws ZodError */
  prepare(change: Change, row: JobRow): Promise<Effect | null>;
}

export type Work = InsideWork | OutsideWork;

const inside: Pick<InsideWork, 'retries' | 'batch' | 'pauseMs'> = {
  retries: { attempts: 5, firstMs: 1000, longestMs: 60_000 },
  batch: 1,
  pauseMs: 0,
};

interface InsideOptions<D> extends Partial<typeof inside> {
  /** How much each job of a batch does, and how much of it fits into one change; one job always does. */
  reach?: { most: number; of(data: D): number };
}

/** How to run jobs of a kind in the change that deletes them. `run` gets them in the order in which they were added. */
export function insideWork<D>(
  { name, schema }: JobKind<D>,
  run: (change: Change, jobs: Job<D>[]) => Promise<void>,
  { reach, ...options }: InsideOptions<D> = {},
): InsideWork {
  return {
    ...inside,
    ...options,
    kind: name,
    open(rows) {
      const all = rows.map((row) => ({ ...row, data: schema.parse(row.data) }));
      const jobs = reach
        ? all.slice(
            0,
            countWithin(
              reach.most,
              all.map(({ data }) => reach.of(data)),
            ),
          )
        : all;
      return { count: jobs.length, run: (change) => run(change, jobs) };
    },
  };
}

/** How to run jobs of a kind outside of the database. `prepare` may run again when its job is repeated. */
export function outsideWork<D>(
  { name, schema }: JobKind<D>,
  prepare: (change: Change, job: Job<D>) => Promise<Effect | null>,
  options: Omit<OutsideWork, 'kind' | 'prepare'>,
): OutsideWork {
  return {
    ...options,
    kind: name,
    prepare: (change, row) => prepare(change, { ...row, data: schema.parse(row.data) }),
  };
}

/** How many of the first items together are `most` or less; at least one. */
function countWithin(most: number, sizes: number[]): number {
  let left = most;
  const beyond = sizes.findIndex((size, at) => {
    left -= size;
    return left < 0 && at > 0;
  });
  return beyond < 0 ? sizes.length : beyond;
}
