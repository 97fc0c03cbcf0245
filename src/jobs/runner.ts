import { z } from 'zod';
import { AppError } from '../contract/errors.ts';
import { databaseCode, isTimeout } from '../database/failures.ts';
import type { Changes } from '../delivery/changes.ts';
import { jittered } from '../infrastructure/jitter.ts';
import type { Log } from '../infrastructure/log.ts';
import type { JobRow, Retries } from './job.kind.ts';
import { jobTable } from './job.table.ts';

export interface RunnerDeps {
  changes: Changes;
  log: Log;
}

const longestError = 300;

/** Runs the jobs of one kind on a node, independently of all other kinds. */
export abstract class Runner {
  /** Of this node, since its start. `failed` counts attempts. */
  readonly counters = { running: 0, done: 0, failed: 0, died: 0 };
  protected readonly deps: RunnerDeps;
  protected closed = false;
  private readonly kind: string;
  private readonly retries: Retries;
  private woken = false;
  private wakeUp = () => {};
  private running: Promise<void> = Promise.resolve();

  constructor({ kind, retries }: { kind: string; retries: Retries }, deps: RunnerDeps) {
    this.kind = kind;
    this.retries = retries;
    this.deps = deps;
  }

  start(): void {
    this.running = this.run();
  }

  /** There may be something to do. */
  wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  /** Finishes what was begun, for at most `ms`; the rest is done by other nodes, or after the next start. */
  async close(_ms: number): Promise<void> {
    this.closed = true;
    this.wakeUp();
    await this.running;
  }

  /** @returns whether there may be more to do now */
  protected abstract takeSome(): Promise<boolean>;

  private async run(): Promise<void> {
    while (!this.closed) {
      this.woken = false;
      const isMore = await this.takeSome().catch((error) => this.explain(error));
      if (!isMore && !this.woken && !this.closed) await new Promise<void>((resolve) => (this.wakeUp = resolve));
    }
  }

  protected explain(error: unknown): false {
    const away = error instanceof AppError && error.code === 'DATABASE_UNAVAILABLE';
    if (!away && !this.closed) this.deps.log.error({ err: error, kind: this.kind }, 'Jobs could not be run.');
    return false;
  }

  /** After a failed attempt: the job waits for the next one, or is dead. @param failures including this one */
  protected async putBack(row: JobRow, failures: number, error: unknown): Promise<void> {
    // Data of an unknown shape is from a newer version, which is being deployed or will be back. What takes too long now
    // may be fast enough later.
    const isDead = failures >= this.retries.attempts && !(error instanceof z.ZodError) && !isTimeout(error);
    const fields = { err: error, kind: this.kind, job: row.id, attempts: failures };
    const next = { attempts: failures, error: sentenceOf(error) };
    this.counters.failed++;
    if (isDead) {
      this.counters.died++;
      this.deps.log.error(fields, 'A job failed for the last time; `npm run parley -- jobs` lists it.');
      await this.deps.changes.run(({ rows }) => jobTable.bury(rows, row, next));
      return;
    }
    this.deps.log.warn(fields, 'A job failed; it is tried again.');
    const ms = jittered(Math.min(this.retries.firstMs * 2 ** (failures - 1), this.retries.longestMs));
    await this.deps.changes.run(({ rows }) => jobTable.putBack(rows, row, { ...next, ms }));
  }
}

/** Whether no job is at fault: the database is away, or locks are in the way. A single job may just take too long. */
export function isPassing(error: unknown): boolean {
  return error instanceof AppError && error.status === 503 && !isTimeout(error);
}

/** What operators read of an error. The messages of PostgreSQL and of zod may repeat the data. */
function sentenceOf(error: unknown): string {
  const code = databaseCode(error instanceof AppError ? error.cause : error);
  if (error instanceof z.ZodError) return 'Its data has a shape that this version does not know.';
  if (error instanceof AppError) return `${error.code}: ${error.message}${code ? ` (${code})` : ''}`;
  if (code) return `An error with the code ${code}.`;
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, longestError);
}
