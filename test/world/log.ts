import { trim } from '../../src/delivery/trimming.ts';
import type { Node } from '../../src/node/node.ts';
import { until } from '../rig/until.ts';
import { withRows } from './sql.ts';

/** Takes everything but the newest `keepEvents` of each room off the logs, as is done in the background. */
export async function trimLogs(databaseUrl: string, keepEvents: number): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    let removed = 0;
    let after: string | null = null;
    do ({ removed, after } = await trim(rows, keepEvents, after));
    while (removed > 0 || after !== null);
  });
}

/** Lets a node read the logs by a sweep that begins after this call: one under way may have read them before. */
export async function sweepAnew({ delivery }: Pick<Node, 'delivery'>): Promise<void> {
  const ended = () => delivery.counters.sweeps + delivery.counters.failedSweeps;
  const before = ended();
  await until(async () => {
    await delivery.sweep();
    return ended() >= before + 2;
  });
}
