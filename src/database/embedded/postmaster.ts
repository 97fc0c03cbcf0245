import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../infrastructure/within.ts';
import type { Cluster } from './cluster.ts';
import { EmbeddedPostgresError } from './failure.ts';

/** One run of a PostgreSQL server. */
export interface Postmaster {
  readonly pid: number;
  /** Fulfilled when it accepts connections; rejected when it ends before that. */
  readonly ready: Promise<void>;
  /** Fulfilled with how it ended, as a few words. */
  readonly ended: Promise<string>;
  /** Fast shutdown (connections are cut, data is written); harsher when that takes more than 10 s. */
  stop(): Promise<void>;
}

/** The signals that stop the server, and how many milliseconds each gets. */
const stopSteps = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 2_000],
] as const;

const alwaysSet = {
  listen_addresses: '127.0.0.1',
  // TCP is enough, and a socket's path would bound the length of the data folder's.
  unix_socket_directories: '',
  jit: 'off',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
  // Callers get the errors of their statements; this log is only about the server.
  log_min_messages: 'log',
  log_checkpoints: 'off',
};

/** The refusal of clients that connect too early. */
export const turnedAway = /^FATAL: +the database system is /;

/**
 * Spawns the server in a process group of its own: Ctrl+C in a terminal reaches the whole group of the caller, and
 * the database must outlive the requests that are being finished.
 * @param onLine gets PostgreSQL's log, line by line
 */
export function spawnPostmaster(
  cluster: Cluster,
  port: number,
  settings: Record<string, string>,
  onLine: (line: string) => void,
): Postmaster {
  const options = Object.entries({ ...alwaysSet, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const args = ['-D', cluster.folder, '-p', String(port), ...options];
  const child = cluster.runner.spawn(cluster.programs.postgres, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const lines: string[] = [];
  if (child.stderr) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (lines.push(line) > 20) lines.shift();
      onLine(line);
    });
  }
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', async (code, name) => {
      // Its last lines may still be on their way; its own children may hold the pipe open for longer.
      await within(once(child, 'close'), 100);
      resolve(name ? `signal ${name}` : `exit code ${code}`);
    });
  });
  const pid = child.pid ?? -1;
  const ready = waitUntilReady(cluster.folder, pid, ended, lines);
  // A caller that stops a starting server does not wait for `ready`.
  ready.catch(() => {});
  return { pid, ready, ended, stop: () => stop(child, ended) };
}

async function waitUntilReady(folder: string, pid: number, ended: Promise<string>, lines: string[]): Promise<void> {
  let end: string | undefined;
  void ended.then((how) => {
    end = how;
  });
  // No time limit: after a crash PostgreSQL first replays its log, however long that takes.
  while (!isReady(folder, pid)) {
    await delay(10);
    if (end !== undefined) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start on ${folder}: ${lastWords(lines) || end}`);
    }
  }
}

/** The postmaster keeps its pid in the first line of this file and its state in the eighth. */
function isReady(folder: string, pid: number): boolean {
  const lines = readPidFile(folder);
  return lines[0] === String(pid) && (lines[7]?.startsWith('ready') ?? false);
}

/** The lines of postmaster.pid, none when there is no such file. */
export function readPidFile(folder: string): string[] {
  try {
    return readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/**
 * Why it ended, by its last lines. Leaves out what it answered to clients, and its guess after an interrupted start
 * that data is lost and a backup has to be restored.
 */
export function lastWords(lines: string[]): string {
  let isReason = false;
  const telling = lines.filter((line) => {
    const isAddition = /^(DETAIL|HINT)\b/.test(line);
    if (!isAddition) isReason = /^(FATAL|PANIC|postgres|setpriv)\b/.test(line) && !turnedAway.test(line);
    return isReason;
  });
  const warnings = lines.filter((line) => line.includes('could not bind'));
  return [...warnings, ...telling].join(' ').replaceAll(/\s+/g, ' ');
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  for (const [name, ms] of stopSteps) {
    // `kill` knows when a child has ended, and never signals another process that got its pid.
    child.kill(name);
    if (await within(ended, ms)) return;
  }
}

/** The logger that this needs; pino's fits. */
export interface EmbeddedLog {
  info(obj: object, msg: string): void;
  warn(obj: object, msg: string): void;
}
