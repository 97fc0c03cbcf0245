import { within } from '../infrastructure/within.ts';
import type { Effect, JobRow, OutsideWork } from './job.kind.ts';
import { jobTable } from './job.table.ts';
import { Runner, type RunnerDeps } from './runner.ts';

/** For the change that deletes a job after its effect. */
const marginMs = 10_000;

/** Why long work ends before its time: it is no failure of the job. */
class Ended extends Error {}

/**
 * Runs jobs that do something outside of the database, several at once and without holding a connection meanwhile. A job
 * is leased, done and then deleted; if its node dies in between, another one does it once the lease is over.
 */
export class OutsideRunner extends Runner {
  private readonly work: OutsideWork;
  private readonly underWay = new Set<Promise<void>>();
  /** Ends work that takes long. */
  private readonly closing = new AbortController();

  constructor(work: OutsideWork, deps: RunnerDeps) {
    super(work, deps);
    this.work = work;
  }

  override async close(ms: number): Promise<void> {
    this.closing.abort();
    await super.close(ms);
    await within(Promise.all(this.underWay), ms);
  }

  protected async takeSome(): Promise<boolean> {
    const { kind, concurrency } = this.work;
    const free = concurrency - this.underWay.size;
    if (free === 0) return false;
    const rows = await this.deps.changes.run((change) => jobTable.lease(change.rows, kind, free, this.leaseMs));
    for (const row of rows) this.begin(row);
    // Whatever ends makes room for the next one.
    return false;
  }

  private begin(row: JobRow): void {
    this.counters.running++;
    const run = this.attempt(row)
      .catch((error) => (error instanceof Ended ? this.release(row) : this.putBack(row, row.attempts, error)))
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
      await this.limited(row, effect);
      await changes.run(async ({ rows }) => {
        if (await jobTable.holdLeased(rows, row)) await jobTable.remove(rows, [row.id]);
      });
    }
    this.counters.done++;
  }

  /** Waits for the work's end, or until nobody does any more: it took too long, or is left to other nodes. */
  private async limited(row: JobRow, effect: Effect): Promise<void> {
    const over = new AbortController();
    const late = Promise.withResolvers<never>();
    const end = (reason: Error) => {
      late.reject(reason);
      over.abort(reason);
    };
    const { limitMs } = this.work;
    const timer = setTimeout(() => end(new Error(`It took longer than ${limitMs / 1000} s.`)), limitMs);
    const dismiss = this.work.leaseMs === undefined ? () => {} : this.renewing(row, end);
    await Promise.race([effect(over.signal), late.promise]).finally(() => {
      clearTimeout(timer);
      dismiss();
    });
  }

  /** Renews a lease until it is dismissed; ends the work where the job is another node's. */
  private renewing(row: JobRow, end: (reason: Error) => void): () => void {
    const leave = () => end(new Ended('This node stops.'));
    const renew = async () => {
      const isOurs = await this.deps.changes.run(({ rows }) => jobTable.renew(rows, row, this.leaseMs));
      if (!isOurs) end(new Ended('Another node has the job.'));
    };
    // Without the database nobody else takes it either; the last change looks whose it is.
    const timer = setInterval(() => void renew().catch(() => {}), this.leaseMs / 3);
    this.closing.signal.addEventListener('abort', leave);
    if (this.closing.signal.aborted) leave();
    return () => {
      clearInterval(timer);
      this.closing.signal.removeEventListener('abort', leave);
    };
  }

  private async release(row: JobRow): Promise<void> {
    await this.deps.changes.run(({ rows }) => jobTable.release(rows, row));
  }

  private get leaseMs(): number {
    const { leaseMs, limitMs } = this.work;
    return leaseMs ?? limitMs + marginMs;
  }
}
