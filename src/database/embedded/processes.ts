import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const isLinux = process.platform === 'linux';

/** What the kernel reports about a living process. */
interface LinuxProcess {
  state: string;
  parent: number;
  /** Clock ticks since boot. */
  started: string;
}

/** A process of Linux's /proc, undefined when there is none. */
export function readLinuxProcess(pid: number): LinuxProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the last bracket may hold spaces and brackets itself.
    const [state = '', parent = '', ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent), started: rest[17] ?? '' };
  } catch {
    return undefined;
  }
}

/** Whether the process runs. A zombie does not: in a container nobody may ever reap it. */
export function isRunning(pid: number): boolean {
  if (isLinux) {
    const found = readLinuxProcess(pid);
    return found !== undefined && found.state !== 'Z' && found.state !== 'X';
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When the process was started, as text that differs for a later process of the same pid. */
export function startOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined;
  if (!isLinux) return ps(pid, 'lstart');
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const started = readLinuxProcess(pid)?.started;
  return started && `${boot}:${started}`;
}

/** Whether the process is a postmaster of this data folder. */
export function servesFolder(pid: number, folder: string): boolean {
  if (!isRunning(pid)) return false;
  if (!isLinux) return ps(pid, 'command')?.includes(folder) ?? false;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

/** Sends a signal; a process that is gone is fine. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in the meantime.
  }
}

/** Waits for the end of a process that need not be our child. @returns whether it ended within `ms` */
export async function waitForEnd(pid: number, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; isRunning(pid); await delay(10)) {
    if (performance.now() > end) return false;
  }
  return true;
}

function ps(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
