import { readFileSync } from 'node:fs';
import { startRedis } from '../test/rig/redis.ts';
import { arrivals } from './scale/arrivals.ts';
import { avalanche } from './scale/avalanche.ts';
import { hold } from './scale/hold.ts';
import { idle } from './scale/idle.ts';
import type { Part } from './scale/part.ts';
import { rolling } from './scale/rolling.ts';
import { room } from './scale/room.ts';
import { Tables } from './table.ts';

/**
 * `npm run bench -- scale [parts] [--people 5000]`: what grows with the number of people, each of whom is somebody else,
 * with clients in processes of their own.
 */
const parts: Part[] = [hold, room, avalanche, rolling, arrivals, idle];

/** Files that a node has open beside its sockets. */
const otherFiles = 500;

/** How many sockets one process may have here. */
function socketsOfProcess(): number {
  const [, limit = ''] = /Max open files\s+\d+\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === '' ? Number.POSITIVE_INFINITY : Number(limit) - otherFiles;
}

/** @param file where the tables go @param wanted names of parts; none: all @param people null: as each part has it */
export async function scale(file: string, wanted: string[], people: number | null): Promise<void> {
  const unknown = wanted.filter((name) => !parts.some((part) => part.name === name));
  if (unknown.length > 0) {
    const names = parts.map(({ name }) => name).join(', ');
    throw new Error(`There is no part ${unknown.join(', ')}; there are ${names}.`);
  }
  const tables = new Tables(file);
  const redis = await startRedis();
  const most = socketsOfProcess();
  try {
    for (const part of parts.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      const asked = people ?? part.people;
      const count = Math.min(asked, most);
      tables.say(`\n**${part.name}**: ${part.about}`);
      if (count < asked)
        tables.say(`(${count} instead of ${asked}: a process may have no more files open, ulimit -n.)`);
      await part
        .run(count, (what, figures) => tables.row(what, figures), redis.url)
        .catch((error: unknown) => {
          tables.say(`It ended early: ${error instanceof Error ? error.message : error}`);
          process.exitCode = 1;
        });
    }
  } finally {
    await redis.stop();
  }
}
