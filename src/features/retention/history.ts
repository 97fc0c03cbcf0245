import { dateNow } from '../../infrastructure/clock.ts';
import { type InsideWork, insideWork } from '../../jobs/job.kind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { historyKind } from '../../jobs/retention.jobs.ts';
import { forgetVersions } from './history.table.ts';

const batch = 500;
const pauseMs = 20;
/** By then every edit has ended that began while its server kept history. */
const againMs = 60_000;

/** Removes the earlier versions of a server that does not keep them any more, some a job (contract §6). */
export function historyRemoval(jobs: Jobs): InsideWork {
  return insideWork(
    historyKind,
    async (change, some) => {
      for (const { serverId, isLast } of some.map(({ data }) => data)) {
        const isMore = (await forgetVersions(change.rows, serverId, batch)) === batch;
        if (!isMore && isLast) continue;
        const runAt = isMore ? undefined : new Date(dateNow().getTime() + againMs);
        await jobs.add(change, historyKind, { serverId, isLast: !isMore }, { key: serverId, runAt });
      }
    },
    { pauseMs },
  );
}
