import { readFileSync } from 'node:fs';
import pg from 'pg';
import { readLinuxProcess } from '../src/database/embedded/processes.ts';
import { childrenOf } from '../test/rig/processes.ts';

/** Linux counts CPU time in these. */
const ticksPerSecond = 100;

/** CPU time, in µs: of all nodes of a subject, and of all processes of its PostgreSQL (0 where there is none). */
export interface Cost {
  nodes: number;
  postgres: number;
}

export interface Costly {
  cost(): Cost;
}

/** The CPU time of a process so far, in µs. @param ended whether that of its ended children counts too */
export function cpuOfProcess(pid: number, ended = false): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, ended ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1_000_000) / ticksPerSecond;
}

/** The parent of all processes of a PostgreSQL on this machine. */
export async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    return readLinuxProcess(rows[0].pid)?.parent ?? 0;
  } finally {
    await client.end();
  }
}

export function cpuOfPostgres(postmaster: number): number {
  const cpuOf = (pid: number) => {
    try {
      return cpuOfProcess(pid);
    } catch {
      // It ended meanwhile, and counts as an ended child from the next time on.
      return 0;
    }
  };
  return childrenOf(postmaster).reduce((sum, pid) => sum + cpuOf(pid), cpuOfProcess(postmaster, true));
}

/** What some work takes. */
export async function costOf(subject: Costly, work: () => Promise<unknown>): Promise<Cost> {
  const before = subject.cost();
  await work();
  const after = subject.cost();
  return { nodes: after.nodes - before.nodes, postgres: after.postgres - before.postgres };
}

const idleMs = 4000;

/** Measures what work takes beyond what goes on anyway, which is measured first. */
export async function costAboveIdle(subject: Costly): Promise<(work: () => Promise<unknown>) => Promise<Cost>> {
  const idle = await costOf(subject, () => new Promise((resolve) => setTimeout(resolve, idleMs)));
  return async (work) => {
    const started = performance.now();
    const { nodes, postgres } = await costOf(subject, work);
    const share = (performance.now() - started) / idleMs;
    return { nodes: nodes - idle.nodes * share, postgres: postgres - idle.postgres * share };
  };
}
