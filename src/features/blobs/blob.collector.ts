import { setTimeout as delay } from 'node:timers/promises';
import { NIL } from 'uuid';
import { advisoryLocks, tryLock } from '../../database/advisory-locks.ts';
import type { Database, Rows } from '../../database/database.ts';
import { isForeignKeyViolation } from '../../database/failures.ts';
import { jittered } from '../../infrastructure/jitter.ts';
import type { Log } from '../../infrastructure/log.ts';
import { deleteUnused, markUnused, usedBy } from './blob.table.ts';
import type { ObjectStore } from './object.store.ts';

const everyMs = 10 * 60_000;
/** Between two batches, so that collecting takes only a little of the database's time. */
const pauseMs = 50;
const batch = 500;

/**
 * Deletes blobs that nothing refers to: marks them, and deletes those that have been marked for the whole grace period and
 * are still unused. So a blob that is being downloaded, or was just uploaded for a row that is not written yet, stays.
 */
export class BlobCollector {
  private readonly database: Database;
  private readonly log: Log;
  private readonly graceSeconds: number;
  private readonly objects: ObjectStore | null;
  private readonly timer: NodeJS.Timeout;
  private closed = false;
  private running: Promise<number> | undefined;

  /** @param objects whose loose ones it deletes too */
  constructor(database: Database, settings: { graceSeconds: number }, log: Log, objects: ObjectStore | null = null) {
    this.database = database;
    this.log = log;
    this.graceSeconds = settings.graceSeconds;
    this.objects = objects;
    this.timer = setInterval(() => void this.run(), jittered(everyMs));
    this.timer.unref();
  }

  /** Checks all blobs once. @returns how many were deleted */
  run(): Promise<number> {
    this.running ??= this.collect()
      .then(async (removed) => {
        await this.objects?.collect(this.graceSeconds);
        return removed;
      })
      .catch((error) => {
        if (!this.closed) this.log.warn({ err: error }, 'Unused blobs could not be removed; it will be tried again.');
        return 0;
      })
      .finally(() => {
        this.running = undefined;
      });
    return this.running;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.running;
  }

  private async collect(): Promise<number> {
    const used = await usedBy(this.database.rows);
    let removed = 0;
    for (let after: string = NIL; !this.closed; ) {
      // Only one node collects at a time.
      const step = await this.database.quickTransaction(async (rows) =>
        (await tryLock(rows, advisoryLocks.collectingBlobs)) ? this.mark(rows, used, after) : undefined,
      );
      if (!step) return removed;
      for (const id of step.overdue) removed += await this.remove(id, used);
      if (!step.last) return removed;
      after = step.last;
      await delay(pauseMs);
    }
    return removed;
  }

  /** Checks one batch of blobs. @returns those past their grace period, and where the batch ends */
  private async mark(
    rows: Rows,
    used: string,
    after: string,
  ): Promise<{ overdue: string[]; last: string | undefined }> {
    const found = await markUnused(rows, used, { after, limit: batch, graceSeconds: this.graceSeconds });
    const overdue = found.filter((row) => row.overdue).map((row) => row.id);
    return { overdue, last: found.at(-1)?.id };
  }

  /** One at a time: a large one has many chunks. If it is in use again, a foreign key keeps it. */
  private async remove(id: string, used: string): Promise<number> {
    try {
      return await deleteUnused(this.database.rows, used, id, this.graceSeconds);
    } catch (error) {
      if (isForeignKeyViolation(error)) return 0;
      throw error;
    }
  }
}
