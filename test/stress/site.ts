import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Balancer, startBalancer } from '../rig/balancer.ts';
import { type FaultyPostgres, startPostgres } from '../rig/postgres.ts';
import { startRedis, type TestRedis } from '../rig/redis.ts';
import { startProxy, type TcpProxy } from '../rig/tcp-proxy.ts';
import { NodeProcess, siteEnvironment } from '../world/node-process.ts';

/** Everything of an installation, each part a process to be broken. */
export interface Site {
  postgres: FaultyPostgres;
  redis: TestRedis;
  nodes: NodeProcess[];
  /** The wire between the load balancer and each node. */
  wires: TcpProxy[];
  /** The load balancer. */
  door: Balancer;
  stop(): Promise<void>;
}

export async function startSite(nodeCount: number): Promise<Site> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-stress-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const env = siteEnvironment(postgres.url, redis.url, dataDir);
  // All at once on an empty database: they have to agree on who prepares it.
  const nodes = await Promise.all(Array.from({ length: nodeCount }, () => NodeProcess.start(env)));
  const wires = await Promise.all(nodes.map((node) => startProxy(node.port)));
  const door = await startBalancer(wires.map((wire) => wire.port));
  return {
    postgres,
    redis,
    nodes,
    wires,
    door,
    async stop() {
      await door.stop();
      for (const wire of wires) await wire.stop();
      await Promise.all(nodes.map((node) => node.kill()));
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
