import { trim } from '../../src/delivery/log.ts';
import { withRows } from './sql.ts';

/** Takes everything but the newest `keepEvents` of each room off the logs, as is done in the background. */
export async function trimLogs(databaseUrl: string, keepEvents: number): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    while ((await trim(rows, 7, keepEvents)) > 0);
  });
}
