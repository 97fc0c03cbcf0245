import { within } from '../infrastructure/within.ts';
import type { JobRow, OutsideWork } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import { Runner, type RunnerDeps } from './runner.ts';

/** For the change that deletes a job after its effect. */
const marginMs = 10_000;

/**
 * Runs jobs that do something outside of the database, several at once and without holding a connection meanwhile. A job
 * is leased, done and then deleted; if its node dies in between, another one does it once the lease is over.
 */
export class OutsideRunner extends Runner {
  private readonly work: OutsideWork;
  private readonly underWay = new Set<Promise<void>>();

  constructor(work: OutsideWork, deps: RunnerDeps) {
    super(work, deps);
    this.work = work;
  }

  override async close(ms: number): Promise<void> {
    await super.close(ms);
    await within(Promise.all(this.underWay), ms);
  }

  protected async takeSome(): Promise<boolean> {
    const { kind, concurrency, limitMs } = this.work;
    const free = concurrency - this.underWay.size;
    if (free === 0) return false;
    const rows = await this.deps.changes.run((change) => jobTable.lease(change.rows, kind, free, limitMs + marginMs));
    for (const row of rows) this.begin(row);
    // Whatever ends makes room for the next one.
    return false;
  }

  private begin(row: JobRow): void {
    this.counters.running++;
    const run = this.attempt(row)
      .catch((error) => this.putBack(row, row.attempts, error))
      .catch((error) => void this.explain(error))
      .finally(() => {
        this.counters.running--;
        this.underWay.delete(run);
        this.wake();
      });
    this.underWay.add(run);
  }

  private async attempt(row: JobRow): Promise<void> {
    const { changes } = this.deps;
    if (row.attempts > this.work.retries.attempts) throw new Error('Its node ended each time before the job did.');
    const effect = await changes.run(async (change) => {
      if (!(await jobTable.holdLeased(change.rows, row))) return null;
      const effect = await this.work.prepare(change, row);
      if (!effect) await jobTable.remove(change.rows, [row.id]);
      return effect;
    });
    if (effect) {
      await this.limited(effect());
      await changes.run(async ({ rows }) => {
        if (await jobTable.holdLeased(rows, row)) await jobTable.remove(rows, [row.id]);
      });
    }
    this.counters.done++;
  }

  private async limited(effect: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const { limitMs } = this.work;
    const timer = setTimeout(() => late.reject(new Error(`It took longer than ${limitMs / 1000} s.`)), limitMs);
    await Promise.race([effect, late.promise]).finally(() => clearTimeout(timer));
  }
}
