import { setTimeout as delay } from 'node:timers/promises';
import type { InsideWork, JobRow } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import { isPassing, Runner, type RunnerDeps } from './runner.ts';

/**
 * Runs jobs that change the database alone: each is deleted in the transaction that does it, so a node that dies in
 * between leaves it to the others.
 */
export class InsideRunner extends Runner {
  private readonly work: InsideWork;

  constructor(work: InsideWork, deps: RunnerDeps) {
    super(work, deps);
    this.work = work;
  }

  /** Runs a batch, or if that fails its jobs one by one, so that one bad job does not block the others. */
  protected async takeSome(): Promise<boolean> {
    const { kind, batch, pauseMs, open } = this.work;
    let due: JobRow[] = [];
    try {
      const { count } = await this.deps.changes.run(async (change) => {
        due = await jobTable.lockDue(change.rows, kind, batch);
        if (due.length === 0) return { count: 0 };
        const jobs = open(due);
        this.counters.running = jobs.count;
        await jobTable.remove(
          change.rows,
          due.slice(0, jobs.count).map(({ id }) => id),
        );
        await jobs.run(change);
        return jobs;
      });
      this.counters.done += count;
      if (count > 0 && pauseMs > 0) await delay(pauseMs);
      return count > 0 && (count < due.length || due.length === batch);
    } catch (error) {
      if (isPassing(error)) throw error;
      const [first, ...others] = due;
      if (!first) throw error;
      if (others.length > 0) return this.takeEach();
      await this.putBack(first, first.attempts + 1, error);
      return true;
    } finally {
      this.counters.running = 0;
    }
  }

  private async takeEach(): Promise<boolean> {
    const { kind, batch } = this.work;
    const rows = await this.deps.changes.run((change) => jobTable.due(change.rows, kind, batch));
    for (const row of rows) await this.takeOne(row);
    return rows.length === batch;
  }

  private async takeOne(row: JobRow): Promise<void> {
    this.counters.running = 1;
    try {
      const count = await this.deps.changes.run(async (change) => {
        const count = await jobTable.remove(change.rows, [row.id]);
        // Another node was faster.
        if (count > 0) await this.work.open([row]).run(change);
        return count;
      });
      this.counters.done += count;
    } catch (error) {
      if (isPassing(error)) throw error;
      await this.putBack(row, row.attempts + 1, error);
    }
  }
}
