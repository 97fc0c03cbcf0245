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
  /** The wires from each node to Redis and to PostgreSQL, where they were asked for. */
  lines: { redis: TcpProxy; postgres: TcpProxy }[];
  /** The load balancer. */
  door: Balancer;
  stop(): Promise<void>;
}

/**
 * @param lined puts wires between the nodes and what they stand on, too
 * @param workers processes of each node, behind one port
 */
export async function startSite(nodeCount: number, lined = false, workers = 1): Promise<Site> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'parley-stress-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const ports = { redis: redis.port, postgres: Number(new URL(postgres.url).port) };
  const lineOf = async () => ({ redis: await startProxy(ports.redis), postgres: await startProxy(ports.postgres) });
  const lines = await Promise.all(Array.from({ length: lined ? nodeCount : 0 }, lineOf));
  const envOf = (node: number) => {
    const line = lines[node];
    const env = siteEnvironment(through(postgres.url, line?.postgres), through(redis.url, line?.redis), dataDir);
    return { ...env, WEB_CONCURRENCY: String(workers) };
  };
  // All at once on an empty database: they have to agree on who prepares it.
  const nodes = await Promise.all(Array.from({ length: nodeCount }, (_, node) => NodeProcess.start(envOf(node))));
  const wires = await Promise.all(nodes.map((node) => startProxy(node.port)));
  const door = await startBalancer(wires.map((wire) => wire.port));
  return {
    postgres,
    redis,
    nodes,
    wires,
    lines,
    door,
    async stop() {
      await door.stop();
      for (const wire of wires) await wire.stop();
      await Promise.all(nodes.map((node) => node.kill()));
      for (const { redis: toRedis, postgres: toPostgres } of lines)
        await Promise.all([toRedis.stop(), toPostgres.stop()]);
      await Promise.all([postgres.stop(), redis.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function through(url: string, wire: TcpProxy | undefined): string {
  const changed = new URL(url);
  if (wire) changed.port = String(wire.port);
  return changed.href;
}
