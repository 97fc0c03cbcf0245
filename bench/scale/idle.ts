import { Redis } from 'ioredis';
import pg from 'pg';
import { costOf } from '../cost.ts';
import { Fleet } from '../fleet/fleet.ts';
import { pause } from '../load.ts';
import type { Figures } from '../scenario.ts';
import { parley, type Subject } from '../subject.ts';
import { atOnce, on, type Part, portsOf } from './part.ts';

const rooms = 5;
/** After people came: presence is told, caches are filled. */
const settleMs = 20_000;
/** Longer than the clients' ping interval, in which each is pinged once. */
const idleMs = 30_000;
const statements = 'parley_database_statement_seconds_count';

export const idle: Part = {
  name: 'idle',
  about:
    'What nodes cost when nothing happens: statements (as the nodes count them), transactions (as PostgreSQL does), ' +
    'Redis commands, and CPU a second, of all nodes together, with people who are online and do nothing.',
  people: 5000,
  async run(people, row, redisUrl) {
    const sizes = [...new Set([0, 100, 1000, people].filter((size) => size <= people))];
    for (const nodes of [1, 2]) {
      for (const size of sizes) {
        const options = { channels: rooms, people: size + 1, nodes, ...(nodes > 1 ? { redisUrl } : {}) };
        const figures = await on(parley(options), (subject) => measure(subject, nodes > 1 ? redisUrl : null));
        row(`${nodes} ${nodes > 1 ? 'nodes with Redis' : 'node without Redis'}, ${size} people`, figures);
      }
    }
  },
};

async function measure(subject: Subject, redisUrl: string | null): Promise<Figures> {
  const fleet = new Fleet();
  try {
    const { tokens, channels } = subject;
    await fleet.open({ ports: portsOf(subject), tokens: tokens.slice(1), channels, atOnce });
    await pause(settleMs);
    const before = await counts(subject, redisUrl);
    const { nodes, postgres } = await costOf(subject, () => pause(idleMs));
    const after = await counts(subject, redisUrl);
    const seconds = idleMs / 1000;
    const perSecond = Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / seconds]);
    return {
      ...Object.fromEntries(perSecond),
      'CPU of the nodes (ms/s)': nodes / 1000 / seconds,
      'CPU of PostgreSQL (ms/s)': postgres / 1000 / seconds,
    };
  } finally {
    await fleet.stop();
  }
}

async function counts(subject: Subject, redisUrl: string | null): Promise<Figures> {
  const metrics = await Promise.all(subject.servers.map((server) => server.metrics()));
  return {
    'statements/s': metrics.reduce((sum, one) => sum + (one.get(statements) ?? 0), 0),
    'transactions/s': await transactions(subject.databaseUrl),
    'Redis commands/s': redisUrl ? await redisCommands(redisUrl) : 0,
  };
}

async function transactions(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    'SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  await client.end();
  return rows[0].count;
}

/** Of all kinds, but for those that scripts call. */
async function redisCommands(url: string): Promise<number> {
  const redis = new Redis(url);
  const stats = await redis.info('commandstats');
  redis.disconnect();
  return [...stats.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
}
