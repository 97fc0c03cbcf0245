import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { findProgram } from './debian-program.ts';
import { atEnd } from './ending.ts';
import { freePort } from './free-port.ts';
import { type RunningRedis, runRedis } from './redis.ts';
import { until } from './until.ts';

/** A primary with a replica, both with the password `secret`. */
export interface TestReplicas {
  /** Of the primary and its replica, as they were at the beginning. */
  ports: [number, number];
  /** Makes the replica the primary, and the primary its replica. Connections to both stay open. */
  failOver(): Promise<void>;
  /** Whether the replica is the primary by now. */
  isReplaced(): Promise<boolean>;
  /** Sudden death of one of them. */
  kill(index: 0 | 1): Promise<void>;
  stop(): Promise<void>;
}

const password = 'secret';

const program = () => findProgram({ package: 'redis-server', file: 'usr/bin/redis-server' });

/** Starts both, and waits until the replica follows. They are stopped at the end if the test forgot. */
export async function startReplicas(): Promise<TestReplicas> {
  const redis = await program();
  const ports: [number, number] = [await freePort(), await freePort()];
  const fast = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1', '--requirepass', password];
  // Each may become the other's replica, and signs in as one.
  fast.push('--masterauth', password);
  const follows = ['--replicaof', '127.0.0.1'];
  const servers = [await runRedis(redis, ports[0], fast)];
  servers.push(await runRedis(redis, ports[1], [...fast, ...follows, String(ports[0])]));
  const stop = async () => {
    await Promise.all(servers.map((server) => server.kill()));
  };
  atEnd(stop);
  await until(async () => (await roleOf(ports[1]))[3] === 'connected', { timeout: 30_000, message: 'no replication' });
  return {
    ports,
    failOver: async () => {
      const client = new Redis(ports[0], '127.0.0.1', { password });
      await client.call('FAILOVER');
      client.disconnect();
      await until(async () => (await roleOf(ports[0]))[0] === 'slave', { timeout: 30_000, message: 'no failover' });
    },
    isReplaced: async () => (await roleOf(ports[1]))[0] === 'master',
    kill: async (index) => servers[index]?.kill(),
    stop,
  };
}

async function roleOf(port: number): Promise<unknown[]> {
  const client = new Redis(port, '127.0.0.1', { password });
  return client.role().finally(() => client.disconnect());
}

/** Starts three Sentinels that watch over a primary under the name of `mymaster`. @returns their addresses */
export async function startSentinels(primaryPort: number): Promise<{ hosts: string[]; stop(): Promise<void> }> {
  const redis = await program();
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-sentinels-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const running: RunningRedis[] = [];
  const stop = async () => {
    await Promise.all(running.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  atEnd(stop);
  for (const port of ports) {
    const file = path.join(folder, `${port}.conf`);
    const rules = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      'requirepass told',
      'sentinel sentinel-pass told',
      `sentinel monitor mymaster 127.0.0.1 ${primaryPort} 2`,
      'sentinel auth-pass mymaster secret',
      'sentinel down-after-milliseconds mymaster 1000',
      'sentinel failover-timeout mymaster 5000',
    ];
    await writeFile(file, `${rules.join('\n')}\n`);
    running.push(await runRedis(redis, port, [], file));
  }
  const knowsAll = async (port: number) => {
    const client = new Redis(port, '127.0.0.1', { password: 'told' });
    const answer = await client.call('SENTINEL', 'CKQUORUM', 'mymaster').catch(String);
    const replicas: unknown = await client.call('SENTINEL', 'REPLICAS', 'mymaster').catch(() => []);
    client.disconnect();
    return String(answer).startsWith('OK 3') && Array.isArray(replicas) && replicas.length === 1;
  };
  await until(async () => (await Promise.all(ports.map(knowsAll))).every(Boolean), {
    timeout: 30_000,
    message: 'The Sentinels do not know each other',
  });
  return { hosts: ports.map((port) => `127.0.0.1:${port}`), stop };
}
