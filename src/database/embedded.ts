import path from 'node:path';
import { dateNow } from '../infrastructure/clock.ts';
import { type Cluster, openCluster } from './embedded/cluster.ts';
import { startOnFreePort } from './embedded/first-start.ts';
import { lockFolder } from './embedded/folder-lock.ts';
import { guardFolder } from './embedded/guard.ts';
import { takeMajorOver } from './embedded/major/take-over.ts';
import { endOrphan } from './embedded/orphan.ts';
import { type EmbeddedLog, spawnPostmaster, turnedAway } from './embedded/postmaster.ts';
import { concernOf } from './embedded/releases.ts';
import { ensureDatabase } from './embedded/roles.ts';
import { ensureSuperuser } from './embedded/superuser.ts';
import { supervise } from './embedded/supervisor.ts';

export { EmbeddedPostgresError } from './embedded/failure.ts';

export interface EmbeddedOptions {
  /** Created if missing. The cluster is in its `postgres`, the passwords in its `postgres*-password`. */
  dataDir: string;
  /** Folders of the operator's own programs: those to run, and those that can open data of an earlier major version. */
  programs?: { own: string | null; old: string | null };
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
 * Runs a PostgreSQL of our own on the data folder (contract §11): a real server, from an npm package or the operator's own,
 * durable, on a free port of 127.0.0.1, restarted when it dies, and ended when this process dies. Data of an earlier
 * major version is taken over first.
 * @throws EmbeddedPostgresError with one sentence for the operator, such as when another process has the folder
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { log, settings = {}, programs: { own, old } = { own: null, old: null } } = options;
  const dataDir = path.resolve(options.dataDir);
  const closing = new AsyncDisposableStack();
  closing.defer(lockFolder(dataDir));
  try {
    const cluster = await openCluster(dataDir, own);
    await endOrphan(cluster.folder, log);
    await takeMajorOver(cluster, old, log);
    await ensureSuperuser(cluster);
    closing.defer(guardFolder(cluster.folder));
    const spawn = (port: number) => spawnPostmaster(cluster, port, settings, logWorries(log, closing));
    const [server, port] = await startOnFreePort(spawn);
    closing.defer(supervise(server, () => spawn(port), log));
    const url = await ensureDatabase(port, cluster.passwords);
    sayWhatRuns(cluster, { pid: server.pid, port, folder: cluster.folder }, log);
    return { url, stop: () => closing.disposeAsync() };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

function sayWhatRuns({ programs }: Cluster, where: object, log: EmbeddedLog): void {
  const { version, folder: binaries, own } = programs;
  log.info({ ...where, version: version.text, binaries }, `The embedded PostgreSQL ${version.text} is running.`);
  const concern = concernOf(version, own, dateNow());
  if (concern) log.warn({ version: version.text }, concern);
}

function logWorries(log: EmbeddedLog, closing: AsyncDisposableStack): (line: string) => void {
  return (line) => {
    // PostgreSQL logs every connection that it cuts when it stops, and every early one that it refuses when it starts.
    if (!closing.disposed && worrying.test(line) && !turnedAway.test(line)) log.warn({}, `PostgreSQL: ${line}`);
  };
}
