import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { isTimeout } from '../../database/failures.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce, type Job, jobSchema, type NotificationQueue, reachOf } from '../../jobs/notification.jobs.ts';
import type { Context } from '../context.ts';
import type { NotificationMaker } from './notification.maker.ts';

const batchSize = 100;
/** How often a node polls for jobs that it got no signal for: those of a node that died. */
const pollMs = 1000;
const maxAttempts = 5;
const firstRetryMs = 1000;
const longestRetryMs = 60_000;

interface JobRow {
  id: string;
  data: unknown;
  attempts: number;
}

interface Deps extends Pick<Context, 'changes' | 'log'> {
  queue: NotificationQueue;
  maker: NotificationMaker;
}

/**
 * Makes notifications in the background (contract §7), and publishes changes to members of large servers: after the
 * acknowledgement of what they announce, on any node, and exactly once. A job is deleted in the transaction that does
 * it; a node that dies in between leaves it to the others.
 */
export class NotificationWorker {
  private readonly deps: Deps;
  private woken = false;
  private closed = false;
  private wakeUp = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(deps: Deps) {
    this.deps = deps;
    deps.queue.onAdded(() => this.wake());
  }

  start(): void {
    this.running = this.run();
  }

  /** Finishes the current batch; the rest is done by other nodes, or after the next start. */
  async close(): Promise<void> {
    this.closed = true;
    this.wakeUp();
    await this.running;
  }

  private wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      this.woken = false;
      const isMore = await this.takeSome().catch((error) => this.explain(error));
      if (!isMore && !this.woken && !this.closed) await this.sleep();
    }
  }

  private sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private explain(error: unknown): boolean {
    const away = error instanceof AppError && error.code === 'DATABASE_UNAVAILABLE';
    if (!away && !this.closed) this.deps.log.error({ err: error }, 'Notifications could not be made.');
    return false;
  }

  /**
   * Runs a batch, or if that fails its jobs one by one, so that one bad job does not block the others.
   * @returns whether there may be more to do
   */
  private async takeSome(): Promise<boolean> {
    try {
      return await this.deps.changes.run(async (change) => {
        const due = await change.rows<JobRow>(
          `SELECT id, data, attempts FROM notification_jobs WHERE due_at <= now() ORDER BY id LIMIT $1
           FOR UPDATE SKIP LOCKED`,
          [batchSize],
        );
        const jobs = within(atOnce, due.map(jobOf));
        const taken = due.slice(0, jobs.length);
        if (taken.length === 0) return false;
        await change.rows('DELETE FROM notification_jobs WHERE id = ANY($1::uuid[])', [taken.map(({ id }) => id)]);
        await this.make(change, jobs);
        return taken.length < due.length || due.length === batchSize;
      });
    } catch (error) {
      if (isPassing(error)) throw error;
      return this.takeEach();
    }
  }

  private async takeEach(): Promise<boolean> {
    const rows = await this.deps.changes.run((change) =>
      change.rows<JobRow>(
        'SELECT id, data, attempts FROM notification_jobs WHERE due_at <= now() ORDER BY id LIMIT $1',
        [batchSize],
      ),
    );
    for (const row of rows) await this.takeOne(row);
    return rows.length === batchSize;
  }

  private async takeOne(row: JobRow): Promise<void> {
    try {
      await this.deps.changes.run(async (change) => {
        const taken = await change.rows<{ id: string }>('DELETE FROM notification_jobs WHERE id = $1 RETURNING id', [
          row.id,
        ]);
        // Another node was faster.
        if (taken.length > 0) await this.make(change, [jobOf(row)]);
      });
    } catch (error) {
      if (isPassing(error)) throw error;
      await this.putBack(row, error);
    }
  }

  private async make(change: Change, jobs: Job[]): Promise<void> {
    const isMore = await this.deps.maker.make(change, jobs);
    if (isMore) change.afterCommit(() => this.wake());
  }

  private async putBack(row: JobRow, error: unknown): Promise<void> {
    const attempts = row.attempts + 1;
    // An unknown job is from a newer version, which is being deployed or will be back.
    const isUnknown = error instanceof z.ZodError;
    // A job that takes too long now may be fast enough later.
    const isLast = attempts >= maxAttempts && !isUnknown && !isTimeout(error);
    const delayMs = Math.min(firstRetryMs * 2 ** row.attempts, longestRetryMs);
    this.deps.log.error({ err: error, attempts, data: row.data }, 'A notification could not be made.');
    await this.deps.changes.run(async ({ rows }) => {
      if (isLast) await rows('DELETE FROM notification_jobs WHERE id = $1', [row.id]);
      else {
        await rows(
          `UPDATE notification_jobs SET attempts = $2, due_at = now() + make_interval(secs => $3) WHERE id = $1`,
          [row.id, attempts, delayMs / 1000],
        );
      }
    });
  }
}

/** Whether no job is at fault: the database is away, or locks are in the way. A single job may just take too long. */
function isPassing(error: unknown): boolean {
  return error instanceof AppError && error.status === 503 && !isTimeout(error);
}

function jobOf(row: JobRow): Job {
  return jobSchema.parse(row.data);
}

/** The first jobs that together publish to at most this many people; at least one. */
function within(people: number, jobs: Job[]): Job[] {
  let left = people;
  const beyond = jobs.findIndex((job, at) => {
    left -= reachOf(job);
    return left < 0 && at > 0;
  });
  return beyond < 0 ? jobs : jobs.slice(0, beyond);
}
