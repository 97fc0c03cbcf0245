import { advisoryLocks, tryLock } from '../../database/advisory-locks.ts';
import type { Database } from '../../database/database.ts';
import { leapAhead } from '../../delivery/log.ts';
import { TransferError } from './failure.ts';

/**
 * The step after a restore: it makes returning clients reload their lists (docs/backup.md). Not under a running node,
 * which would continue with the old numbers.
 * @throws TransferError when a node serves this database
 */
export async function continueAfterRestore(database: Database): Promise<void> {
  await database.longTransaction(
    async (rows) => {
      if (!(await tryLock(rows, advisoryLocks.serving))) {
        throw new TransferError('A server is running on this database: stop all nodes, and run this again.');
      }
      await leapAhead(rows);
    },
    { snapshot: false },
  );
}
