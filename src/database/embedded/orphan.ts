import { rmSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './failure.ts';
import { type EmbeddedLog, readPidFile } from './postmaster.ts';
import { isRunning, servesFolder, signal, waitForEnd } from './processes.ts';

const fastMs = 15_000;
const immediateMs = 5_000;

/**
 * Ends a PostgreSQL that outlived its Parley, and forgets a pid file whose pid now belongs to another process, which
 * PostgreSQL would take for a running server. Only for the holder of the folder's lock.
 */
export async function endOrphan(folder: string, log: EmbeddedLog): Promise<void> {
  const pid = Number(readPidFile(folder)[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return;
  if (!servesFolder(pid, folder)) {
    rmSync(path.join(folder, 'postmaster.pid'), { force: true });
    return;
  }
  log.warn({ pid }, 'A PostgreSQL was left over by a Parley that was killed; it is shut down first.');
  signal(pid, 'SIGCONT');
  signal(pid, 'SIGINT');
  if (await waitForEnd(pid, fastMs)) return;
  signal(pid, 'SIGQUIT');
  if (await waitForEnd(pid, immediateMs)) return;
  throw new EmbeddedPostgresError(
    `PostgreSQL, process ${pid}, still runs on ${folder} and does not end; end it first.`,
  );
}
