import { trim } from '../../src/delivery/log.ts';
import { withRows } from './sql.ts';

/** Takes everything but the newest `keepEvents` of each room off the logs, as is done in the background. */
export async function trimLogs(databaseUrl: string, keepEvents: number): Promise<void> {
  await withRows(databaseUrl, async (rows) => {
    let removed = 0;
    let after: string | null = null;
    do ({ removed, after } = await trim(rows, 7, keepEvents, after));
    while (removed > 0 || after !== null);
  });
}
