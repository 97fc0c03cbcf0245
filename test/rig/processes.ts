import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readLinuxProcess } from '../../src/database/embedded/processes.ts';

/**
 * What a program that we start gets from us, unless it gets everything: where programs are found, and where lies what
 * is compiled already, as with `npm start`.
 */
export function inherited(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

/** The pids of a process's children (Linux). */
export function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return all.filter((candidate) => readLinuxProcess(candidate)?.parent === pid);
}

/**
 * Kills a process when ours dies without having stopped it, by SIGKILL too.
 * @returns dismisses the guard
 */
export function killWithUs(pid: number): () => void {
  const script = 'read -r word && exit 0; kill -KILL "$1"';
  const stdio: ['pipe', 'ignore', 'ignore'] = ['pipe', 'ignore', 'ignore'];
  const guard = spawn('/bin/sh', ['-c', script, 'rig-guard', String(pid)], { stdio, detached: true });
  guard.stdin.on('error', () => {});
  guard.unref();
  return () => guard.stdin.end('done\n');
}
