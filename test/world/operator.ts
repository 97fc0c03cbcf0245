import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { inherited } from '../rig/processes.ts';

const cli = path.join(import.meta.dirname, '..', '..', 'src', 'cli.ts');

/** How a command ended, and what it printed. */
export interface Outcome {
  code: number | null;
  out: string;
  complaint: string;
  /** The most that it kept in memory at once, in MiB (Linux). */
  peak: number;
}

/** Runs a command of the operator as a process of its own, as an operator does. */
export async function parley(env: Record<string, string>, args: string[], input = ''): Promise<Outcome> {
  const given = { ...inherited(), NODE_ENV: 'test', ...env };
  const child = spawn(process.execPath, [cli, ...args], { env: given, stdio: 'pipe' });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, highWater(child.pid));
  }, 20);
  const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  clearInterval(watch);
  return { code, out, complaint, peak };
}

function highWater(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    // It has ended.
    return 0;
  }
}
