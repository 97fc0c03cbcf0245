import path from 'node:path';
import { openCluster } from './embedded/cluster.ts';
import { startOnFreePort } from './embedded/first-start.ts';
import { lockFolder } from './embedded/folder-lock.ts';
import { guardFolder } from './embedded/guard.ts';
import { endOrphan } from './embedded/orphan.ts';
import { type EmbeddedLog, spawnPostmaster, turnedAway } from './embedded/postmaster.ts';
import { ensureDatabase } from './embedded/roles.ts';
import { supervise } from './embedded/supervisor.ts';

export { EmbeddedPostgresError } from './embedded/failure.ts';

export interface EmbeddedOptions {
  /** Created if missing. The cluster is in its `postgres`, the password in its `postgres-password`. */
  dataDir: string;
  log: EmbeddedLog;
  /** Further settings of PostgreSQL, by their names there. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  url: string;
  /** Waits until PostgreSQL has ended, 15 s at most, and unlocks the data folder. */
  stop(): Promise<void>;
}

/** Lines of PostgreSQL's log that an operator should see. */
const worrying = /^(FATAL|PANIC)|was terminated by signal|crash of another/;

/**
 * Runs a PostgreSQL of our own on the data folder (contract §11): a real server from an npm package, durable, on a free
 * port of 127.0.0.1, restarted when it dies, and ended when this process dies.
 * @throws EmbeddedPostgresError with one sentence for the operator, such as when another process has the folder
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, settings = {} } = options;
  const dataDir = path.resolve(options.dataDir);
  const closing = new AsyncDisposableStack();
  closing.defer(lockFolder(dataDir));
  try {
    const cluster = await openCluster(dataDir);
    await endOrphan(cluster.folder, log);
    closing.defer(guardFolder(cluster.folder));
    const spawn = (port: number) => spawnPostmaster(cluster, port, settings, logWorries(log, closing));
    const [server, port] = await startOnFreePort(spawn);
    closing.defer(supervise(server, () => spawn(port), log));
    const url = await ensureDatabase(port, cluster.password);
    log.info({ pid: server.pid, port, folder: cluster.folder }, 'The embedded PostgreSQL is running.');
    return { url, stop: () => closing.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

function logWorries(log: EmbeddedLog, closing: AsyncDisposableStack): (line: string) => void {
  return (line) => {
    // PostgreSQL logs every connection that it cuts when it stops, and every early one that it refuses when it starts.
    if (!closing.disposed && worrying.test(line) && !turnedAway.test(line)) log.warn({}, `PostgreSQL: ${line}`);
  };
}
