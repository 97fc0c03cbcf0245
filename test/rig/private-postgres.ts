import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Cluster, openCluster } from '../../src/database/embedded/cluster.ts';
import { guardFolder } from '../../src/database/embedded/guard.ts';
import type { Passwords } from '../../src/database/embedded/passwords.ts';
import { type Postmaster, spawnPostmaster } from '../../src/database/embedded/postmaster.ts';
import { isRunning, signal } from '../../src/database/embedded/processes.ts';
import { ensureDatabase, superuserUrl } from '../../src/database/embedded/roles.ts';
import { atEnd } from './ending.ts';
import { freePort } from './free-port.ts';
import { childrenOf } from './processes.ts';

/** A test run survives the death of processes, not of the machine. */
export const testSettings = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };

let sample: Promise<string> | undefined;

/**
 * Makes a data folder with a PostgreSQL in it that was never started. The first one is made as a first start makes it,
 * which takes seconds; all others are copies, which take a moment.
 */
export async function furnishDataDir(dataDir: string): Promise<void> {
  sample ??= makeSample();
  await promisify(execFile)('cp', ['-a', await sample, dataDir]);
}

async function makeSample(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-sample-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await openCluster(folder);
  return folder;
}

/** A PostgreSQL to break. Nothing starts it again but `restart`, on the same port. */
export interface FaultyPostgres {
  url: string;
  /** Its data folder, and who is its superuser. */
  dataDir: string;
  superuserUrl: string;
  pid(): number;
  /** For good; its files are removed. */
  stop(): Promise<void>;
  /** Sudden death of all its processes. */
  kill(): Promise<void>;
  /** Stops it if it runs, cutting all connections, and starts it again. */
  restart(): Promise<void>;
  /** Connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
}

/** Starts a PostgreSQL of the caller's own, with an empty database. It is stopped at the end if the test forgot. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<FaultyPostgres> {
  const parent = await mkdtemp(path.join(tmpdir(), 'parley-postgres-'));
  const dataDir = path.join(parent, 'data');
  await furnishDataDir(dataDir);
  return serve(parent, settings, ensureDatabase);
}

/**
 * Starts a PostgreSQL on the folder `data` in a folder, which is removed with it.
 * @param database gives the URL of its database, by its port and passwords
 */
export async function serve(
  parent: string,
  settings: Record<string, string>,
  database: (port: number, passwords: Passwords) => string | Promise<string>,
): Promise<FaultyPostgres> {
  const dataDir = path.join(parent, 'data');
  const cluster = await openCluster(dataDir);
  const dismissGuard = guardFolder(cluster.folder);
  const port = await freePort();
  let server = await startOn(cluster, port, settings);
  const url = await database(port, cluster.passwords);
  const send = (name: NodeJS.Signals) => signalAll(server.pid, name);
  const stopServer = async () => {
    send('SIGCONT');
    await server.stop();
  };
  const stop = async () => {
    await stopServer();
    dismissGuard();
    await rm(parent, { recursive: true, force: true });
  };
  const kill = async () => {
    send('SIGKILL');
    await server.ended;
  };
  const restart = async () => {
    await stopServer();
    server = await startOn(cluster, port, settings);
  };
  atEnd(stop);
  return {
    url,
    dataDir,
    superuserUrl: superuserUrl(port, cluster.passwords.superuser),
    pid: () => server.pid,
    stop,
    kill,
    restart,
    pause: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
  };
}

function spawn(cluster: Cluster, port: number, settings: Record<string, string>): Postmaster {
  return spawnPostmaster(cluster, port, { ...testSettings, ...settings }, () => {});
}

/** Processes of before that were killed may still be ending. */
async function startOn(cluster: Cluster, port: number, settings: Record<string, string>): Promise<Postmaster> {
  for (let attempt = 1; ; attempt++) {
    const server = spawn(cluster, port, settings);
    try {
      await server.ready;
      return server;
    } catch (error) {
      if (attempt === 20) throw error;
    }
    await delay(100);
  }
}

function signalAll(pid: number, name: NodeJS.Signals): void {
  if (!isRunning(pid)) return;
  const children = childrenOf(pid);
  // The postmaster first, so that it forks no further ones; those forked since the list was made come after.
  signal(pid, name);
  for (const child of new Set([...children, ...childrenOf(pid)])) signal(child, name);
}
