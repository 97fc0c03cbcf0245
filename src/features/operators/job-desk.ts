import { MAX } from 'uuid';
import type { z } from 'zod';
import { AppError } from '../../contract/errors.ts';
import { jobDiscard, jobRetry } from '../../contract/operating.ts';
import type { listDeadJobsSchema, operatorTaskCalls } from '../../contract/operator-tasks.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Auditor } from '../../delivery/audit.ts';
import { jobTable } from '../../jobs/job.table.ts';
import type { Context } from '../context.ts';

type KindRecord = z.input<typeof operatorTaskCalls.listJobKinds.answer>[number];
type DeadRecord = z.input<typeof operatorTaskCalls.listDeadJobs.answer>[number];

/** The queue of jobs, for operators: it checks no permissions. */
export class JobDesk {
  private readonly deps: Pick<Context, 'database' | 'changes' | 'jobs'>;

  constructor(deps: JobDesk['deps']) {
    this.deps = deps;
  }

  /** Those that this version knows, and those of others that died. */
  kinds(): Promise<KindRecord[]> {
    const known = this.deps.jobs.counters.map(([kind]) => kind);
    return jobTable.bounded(this.deps.database.rows, known);
  }

  /** @throws AppError INVALID_CURSOR */
  async dead({ limit, cursor }: z.output<typeof listDeadJobsSchema>): Promise<ListPage<DeadRecord>> {
    const found = await jobTable.deadBefore(this.deps.database.rows, idCursor(cursor) ?? MAX, limit + 1);
    return listPage(found, limit, ({ diedAt, ...job }) => ({ ...job, diedAt: isoTime(diedAt) }));
  }

  /** Runs a dead job again. @param id null: all of them @returns how many @throws AppError JOB_NOT_FOUND for one */
  async retry(by: Auditor, id: string | null): Promise<number> {
    return this.deps.changes.run(async (change) => {
      const revived = await jobTable.revive(change.rows, id);
      const [first] = revived;
      if (!first && id !== null) throw new AppError('JOB_NOT_FOUND');
      const target = { kind: 'job', id, label: id === null ? null : first?.kind } as const;
      if (first) change.audit(jobRetry, { actor: by, serverId: null, target, after: { count: revived.length } });
      for (const kind of new Set(revived.map((one) => one.kind))) change.afterCommit(() => this.deps.jobs.wake(kind));
      return revived.length;
    });
  }

  /** Deletes a dead job. @throws AppError JOB_NOT_FOUND */
  async discard(by: Auditor, id: string): Promise<void> {
    await this.deps.changes.run(async (change) => {
      const gone = await jobTable.discard(change.rows, id);
      if (!gone) throw new AppError('JOB_NOT_FOUND');
      const { kind, attempts } = gone;
      const target = { kind: 'job', id, label: kind } as const;
      change.audit(jobDiscard, { actor: by, serverId: null, target, before: { kind, attempts } });
    });
  }
}
