import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDatabase } from '../rig/postgres.ts';
import { NodeProcess, siteEnvironment } from './node-process.ts';
import { migrated } from './nodes.ts';
import { type World, worldOn } from './world.ts';

/** Node processes with a world in them. */
export interface Installation {
  nodes: NodeProcess[];
  databaseUrl: string;
  here: World<NodeProcess, unknown>;
  stop(): Promise<void>;
}

/** Starts node processes, all at once, on a migrated database or the given one. */
export async function install(
  options: {
    nodes?: number;
    redisUrl?: string;
    databaseUrl?: string;
    env?: Record<string, string>;
    /** What one of them is told besides. */
    envOf?: (index: number) => Record<string, string>;
  } = {},
): Promise<Installation> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-site-'));
  const database = options.databaseUrl ? null : await createDatabase(migrated);
  const databaseUrl = options.databaseUrl ?? database?.url ?? '';
  const env = { ...siteEnvironment(databaseUrl, options.redisUrl ?? null, dataDir), ...options.env };
  const starting = Array.from({ length: options.nodes ?? 1 }, (_, index) =>
    NodeProcess.start({ ...env, ...options.envOf?.(index) }),
  );
  const nodes = await Promise.all(starting);
  const here = await worldOn<NodeProcess, { nodes: NodeProcess[] }>({ nodes });
  return {
    nodes,
    databaseUrl,
    here,
    async stop() {
      here.close();
      await Promise.all(nodes.map((node) => node.kill()));
      await database?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
