import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { findProgram, type Program } from './debian-program.ts';
import { atEnd } from './ending.ts';
import { freePort } from './free-port.ts';
import { killWithUs } from './processes.ts';
import { until } from './until.ts';

/** A Redis to use and to break. */
export interface TestRedis {
  url: string;
  port: number;
  /** For good. */
  stop(): Promise<void>;
  /** Sudden death. */
  kill(): Promise<void>;
  /** Ends it if it runs and starts it again, empty, on the same port. */
  restart(): Promise<void>;
  /** Connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
}

interface RunningRedis {
  child: ChildProcess;
  /** Nothing that it holds is kept, so sudden death is the end for it in any case. */
  kill(): Promise<void>;
}

let shared: Promise<string> | undefined;

/** The URL of the Redis that the whole test run shares; started by the first who asks. */
export function sharedRedis(): Promise<string> {
  shared ??= process.env.PARLEY_TEST_REDIS
    ? Promise.resolve(process.env.PARLEY_TEST_REDIS)
    : startRedis().then((redis) => redis.url);
  return shared;
}

/** Starts a Redis of the caller's own on a free port. It is stopped at the end if the test forgot. */
export async function startRedis(): Promise<TestRedis> {
  const program = await findProgram({ package: 'redis-server', file: 'usr/bin/redis-server' });
  const port = await freePort();
  let server = await run(program, port);
  const kill = () => server.kill();
  atEnd(kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: kill,
    kill,
    restart: async () => {
      await kill();
      server = await run(program, port);
    },
    pause: () => void server.child.kill('SIGSTOP'),
    resume: () => void server.child.kill('SIGCONT'),
  };
}

/** Three nodes of a Redis Cluster, each with a third of the slots and no replica. */
export interface TestRedisCluster {
  url: string;
  /** Which of them has a key or a sharded channel. */
  ownerOf(key: string): Promise<number>;
  /** Sudden death of one of them. */
  kill(index: number): Promise<void>;
  restart(index: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cluster of the caller's own. It is stopped at the end if the test forgot. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const program = await findProgram({ package: 'redis-server', file: 'usr/bin/redis-server' });
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-redis-cluster-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const start = async (index: number) => {
    const port = ports[index] ?? 0;
    const file = path.join(folder, `${port}.conf`);
    const mode = ['--cluster-enabled', 'yes', '--cluster-config-file', file, '--cluster-node-timeout', '1000'];
    return run(program, port, [...mode, '--cluster-port', String(await freePort())]);
  };
  const servers = await Promise.all(ports.map((_, index) => start(index)));
  const stop = async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  atEnd(stop);
  await join(ports);
  return {
    url: `redis://127.0.0.1:${ports[0]}`,
    ownerOf: async (key) => {
      const client = new Redis(ports[0] ?? 0, '127.0.0.1');
      const slot = await client.call('CLUSTER', 'KEYSLOT', key);
      client.disconnect();
      return Math.floor(Number(slot) / Math.ceil(16_384 / ports.length));
    },
    kill: async (index) => servers[index]?.kill(),
    restart: async (index) => {
      servers[index] = await start(index);
    },
    stop,
  };
}

/** Makes servers that know nothing of each other one cluster. */
async function join(ports: number[]): Promise<void> {
  const clients = ports.map((port) => new Redis(port, '127.0.0.1'));
  const share = Math.ceil(16_384 / ports.length);
  for (const [i, client] of clients.entries()) {
    const last = Math.min((i + 1) * share, 16_384) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', String(i * share), String(last));
    const [, busPort] = /cluster-port\n(\d+)/.exec(await busOf(client)) ?? [];
    for (const other of clients) await other.call('CLUSTER', 'MEET', '127.0.0.1', `${ports[i]}`, `${busPort}`);
  }
  const isWhole = async (client: Redis) => {
    const [state, nodes] = await Promise.all([client.call('CLUSTER', 'INFO'), client.call('CLUSTER', 'NODES')]);
    return String(state).includes('cluster_state:ok') && String(nodes).trim().split('\n').length === ports.length;
  };
  await until(async () => (await Promise.all(clients.map(isWhole))).every(Boolean), {
    timeout: 60_000,
    message: 'The Redis Cluster did not become whole',
  });
  for (const client of clients) client.disconnect();
}

async function busOf(client: Redis): Promise<string> {
  const answer = await client.config('GET', 'cluster-port');
  return [answer].flat().join('\n');
}

async function run(program: Program, port: number, more: string[] = []): Promise<RunningRedis> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir(), ...more];
  const args = [...where, '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  // In a process group of its own: Ctrl+C in a terminal ends the tests first.
  const child = spawn(program.command, args, { env: program.env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000);
  });
  const ended = once(child, 'close');
  const dismissGuard = killWithUs(child.pid ?? 0);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
    dismissGuard();
  };
  const answered = async () => {
    if (child.exitCode !== null) throw new Error(`Redis did not start: ${output}`);
    return ping(port);
  };
  await until(answered, { timeout: 30_000, message: 'Redis did not answer' }).catch(async (error: unknown) => {
    await kill();
    throw error;
  });
  return { child, kill };
}

/** Whether a Redis answers on the port. */
async function ping(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data');
    return String(answer).startsWith('+PONG');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
