import type { Chore } from '../cluster/chores.ts';
import type { Database } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { newId } from '../infrastructure/ids.ts';
import { InsideRunner } from './inside.runner.ts';
import type { JobKind, Work } from './job.kind.ts';
import { type JobSummary, jobTable } from './job.table.ts';
import { OutsideRunner } from './outside.runner.ts';
import type { Runner, RunnerDeps } from './runner.ts';

/** How often a node polls for jobs that it got no signal for: those of other nodes, and those that wait for their time. */
const pollMs = 1000;
const deadDays = 30;
const deadBatch = 500;

interface AddOptions {
  /** When it is to run; otherwise at once. */
  runAt?: Date | undefined;
  /** A waiting job of the kind with the same key is replaced. */
  key?: string;
}

interface Deps extends RunnerDeps {
  database: Database;
}

/**
 * The durable queue of what follows a change (contract §10): a job is added in the change's own transaction, and run after
 * its commit by any node that knows its kind. Jobs of a kind that no node knows wait for one that does.
 */
export class Jobs {
  private readonly deps: Deps;
  private readonly runners = new Map<string, Runner>();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Says how the jobs of some kinds are run; before `start`. */
  register(...all: Work[]): void {
    for (const work of all) {
      const runner = 'open' in work ? new InsideRunner(work, this.deps) : new OutsideRunner(work, this.deps);
      if (this.runners.has(work.kind)) throw new Error(`The kind "${work.kind}" of jobs is registered twice.`);
      this.runners.set(work.kind, runner);
    }
  }

  /** Adds a job in a change: if that is rolled back, there is none. @returns its id */
  async add<D>(change: Change, kind: JobKind<D>, data: D, options: AddOptions = {}): Promise<string> {
    const [id = ''] = await this.addAll(change, kind, [{ data, ...options }]);
    return id;
  }

  /** The same for several, with different keys if they have any. */
  async addAll<D>(change: Change, kind: JobKind<D>, items: (AddOptions & { data: D })[]): Promise<string[]> {
    const rows = items.map(({ data, runAt = null, key = null }) => ({ id: newId(), data, runAt, key }));
    if (rows.length === 0) return [];
    await jobTable.insert(change.rows, kind.name, rows);
    if (rows.some(({ runAt }) => !runAt)) change.afterCommit(() => this.wake(kind.name));
    return rows.map(({ id }) => id);
  }

  /** Takes back the waiting job with a key in a change, if there is one. */
  async cancel<D>(change: Change, kind: JobKind<D>, key: string): Promise<void> {
    await jobTable.cancel(change.rows, kind.name, key);
  }

  /** Jobs of a kind were added in a transaction that is committed now. */
  wake(kind: string): void {
    this.runners.get(kind)?.wake();
  }

  /** Begins to run jobs on this node. A command only adds them. */
  start(): void {
    for (const runner of this.runners.values()) runner.start();
    this.timer = setInterval(() => {
      this.polling ??= this.poll().finally(() => {
        this.polling = undefined;
      });
    }, pollMs).unref();
  }

  /** Finishes what was begun; what is done outside of the database for at most `ms`. */
  async close(ms: number): Promise<void> {
    clearInterval(this.timer);
    await this.polling;
    await Promise.all([...this.runners.values()].map((runner) => runner.close(ms)));
  }

  /** What this node did with each kind since its start. */
  get counters(): [kind: string, counters: Runner['counters']][] {
    return [...this.runners].map(([kind, { counters }]) => [kind, counters]);
  }

  /** All jobs there are, by kind. */
  summary(): Promise<JobSummary[]> {
    return jobTable.summary(this.deps.database.rows);
  }

  private async poll(): Promise<void> {
    const due = jobTable.kindsDue(this.deps.database.rows, [...this.runners.keys()]);
    // Without the database nothing is due; the next poll finds out.
    for (const kind of await due.catch(() => [])) this.wake(kind);
  }
}

/** Deletes dead jobs that nobody has looked after. */
export const forgetDeadJobs: Chore = {
  name: 'forget dead jobs',
  step: (rows) => jobTable.forgetDead(rows, deadDays, deadBatch),
};
