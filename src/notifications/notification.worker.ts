import type { Change, Changes } from '../delivery/changes.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';
import { type Job, jobSchema, type NotificationQueue } from './notification.jobs.ts';
import type { NotificationMaker } from './notification.maker.ts';

const batchSize = 100;
/** How often a node looks for jobs that nobody told it of: those of a node that died. */
const pollMs = 1000;
const maxAttempts = 5;
const firstRetryMs = 1000;

interface JobRow {
  id: string;
  data: unknown;
  attempts: number;
}

/**
 * Makes notifications in the background (contract §7): after the acknowledgement of what they tell of, on any node, and
 * exactly once. A job is deleted in the transaction that makes its notifications; a node that dies in between leaves it
 * to the others.
 */
export class NotificationWorker {
  private readonly changes: Changes;
  private readonly maker: NotificationMaker;
  private readonly log: Log;
  private woken = false;
  private closed = false;
  private wakeUp = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor(parts: { changes: Changes; queue: NotificationQueue; maker: NotificationMaker; log: Log }) {
    this.changes = parts.changes;
    this.maker = parts.maker;
    this.log = parts.log;
    parts.queue.onAdded(() => this.wake());
  }

  start(): void {
    this.running = this.run();
  }

  /** Finishes what it is at; what is left is done by other nodes, or after the next start. */
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
      const done = await this.takeSome().catch((error) => this.explain(error));
      if (done < batchSize && !this.woken && !this.closed) await this.sleep();
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

  private explain(error: unknown): number {
    const away = error instanceof AppError && error.code === 'DATABASE_UNAVAILABLE';
    if (!away && !this.closed) this.log.error({ err: error }, 'Notifications could not be made.');
    return 0;
  }

  /** A batch, or where that fails its jobs one by one, so that one bad job holds up no others. */
  private async takeSome(): Promise<number> {
    try {
      return await this.changes.run(async (change) => {
        const rows = await change.rows<JobRow>(
          `DELETE FROM notification_jobs WHERE id IN (
             SELECT id FROM notification_jobs WHERE due_at <= now() ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
           ) RETURNING id, data, attempts`,
          [batchSize],
        );
        if (rows.length > 0) await this.make(change, rows);
        return rows.length;
      });
    } catch (error) {
      if (error instanceof AppError) throw error;
      return this.takeEach();
    }
  }

  private async takeEach(): Promise<number> {
    const rows = await this.changes.run((change) =>
      change.rows<JobRow>(
        'SELECT id, data, attempts FROM notification_jobs WHERE due_at <= now() ORDER BY id LIMIT $1',
        [batchSize],
      ),
    );
    for (const row of rows) await this.takeOne(row);
    return rows.length;
  }

  private async takeOne(row: JobRow): Promise<void> {
    try {
      await this.changes.run(async (change) => {
        const taken = await change.rows<{ id: string }>('DELETE FROM notification_jobs WHERE id = $1 RETURNING id', [
          row.id,
        ]);
        // Another node was faster.
        if (taken.length > 0) await this.make(change, [row]);
      });
    } catch (error) {
      if (error instanceof AppError && error.status === 503) throw error;
      await this.putBack(row, error);
    }
  }

  private async make(change: Change, rows: JobRow[]): Promise<void> {
    const isMore = await this.maker.make(change, rows.map(jobOf));
    if (isMore) change.afterCommit(() => this.wake());
  }

  private async putBack(row: JobRow, error: unknown): Promise<void> {
    const attempts = row.attempts + 1;
    const isLast = attempts >= maxAttempts;
    this.log.error({ err: error, attempts, data: row.data }, 'A notification could not be made.');
    await this.changes.run(async ({ rows }) => {
      if (isLast) await rows('DELETE FROM notification_jobs WHERE id = $1', [row.id]);
      else {
        await rows(
          `UPDATE notification_jobs SET attempts = $2, due_at = now() + make_interval(secs => $3) WHERE id = $1`,
          [row.id, attempts, (firstRetryMs * 2 ** row.attempts) / 1000],
        );
      }
    });
  }
}

function jobOf(row: JobRow): Job {
  return jobSchema.parse(row.data);
}
