import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../src/database/up-to-date.ts';
import { createLog } from '../../src/infrastructure/log.ts';
import { type Node, startNode } from '../../src/node/node.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { atEnd } from '../rig/ending.ts';
import { createDatabase, type TestDatabase } from '../rig/postgres.ts';
import { sharedRedis } from '../rig/redis.ts';

/** Settings that tests change; the rest is as in config/default.json and config/test.json. */
export type SettingsChange = NonNullable<Parameters<typeof loadSettings>[1]>;

/** Nodes that share a database (and a Redis, where there are several). */
export interface Cluster {
  nodes: Node[];
  databaseUrl: string;
  stop(): Promise<void>;
}

/** How many nodes the suites run on: `npm test` runs them on one and on two. */
export const nodeCount = Number(process.env.PARLEY_NODES ?? 1);

const log = createLog(process.env.PARLEY_TEST_LOG ?? 'silent');

/** Prepares a database as the first start does. */
export async function migrated(url: string): Promise<void> {
  await migrate(url, log);
}

/** The settings of a test's node: its own port, secret and data folder. */
export function testSettings(databaseUrl: string, redisUrl: string | null, change: SettingsChange = {}) {
  const dataDir = path.join(tmpdir(), `parley-data-${process.pid}`);
  return loadSettings(
    { NODE_ENV: 'test', PORT: '0', HOST: '127.0.0.1', RATE_LIMITS: 'off', NEW_ACCOUNT_TIER: 'member' },
    {
      databaseUrl,
      redisUrl,
      dataDir,
      jwtSecrets: [{ kid: 'test', secret: 'a secret for tests only' }],
      ...change,
    },
  );
}

interface ClusterOptions {
  nodes?: number;
  settings?: SettingsChange;
  redisUrl?: string | null;
  databaseUrl?: string;
  /** By which URL the next node reaches the database: by way of a proxy, say. */
  lineTo?: (databaseUrl: string) => Promise<string>;
}

/** Starts nodes on a fresh database, or on the given one. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const count = options.nodes ?? nodeCount;
  const { databaseUrl } = options;
  const given = databaseUrl ? { url: databaseUrl, drop: async () => {} } : undefined;
  const database: TestDatabase = given ?? (await createDatabase(migrated));
  const redisUrl = options.redisUrl !== undefined ? options.redisUrl : count > 1 ? await sharedRedis() : null;
  const dataDir = mkdtempSync(path.join(tmpdir(), 'parley-node-'));
  const settings = testSettings(database.url, redisUrl, { dataDir, ...options.settings });
  const nodes: Node[] = [];
  const lineTo = options.lineTo ?? (async (url) => url);
  for (let i = 0; i < count; i++) {
    nodes.push(await startNode({ ...settings, databaseUrl: await lineTo(database.url) }, log));
  }
  return {
    nodes,
    databaseUrl: database.url,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

let shared: Promise<Cluster> | undefined;

/** The cluster that suites share when they need nothing special; every world in it has people of its own. */
export function sharedCluster(): Promise<Cluster> {
  shared ??= startCluster().then((cluster) => {
    // Taken down before the PostgreSQL and the Redis that it stands on, which were started earlier.
    atEnd(() => cluster.stop());
    return cluster;
  });
  return shared;
}
