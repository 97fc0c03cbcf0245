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
import { startProxy } from './tcp-proxy.ts';
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

export interface RunningRedis {
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
  let server = await runRedis(program, port);
  const kill = () => server.kill();
  atEnd(kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: kill,
    kill,
    restart: async () => {
      await kill();
      server = await runRedis(program, port);
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
  /** Gives the slot of a key, or all slots that its owner had at the beginning, to the next of them. */
  moveSlot(key: string): Promise<void>;
  moveAllSlots(key: string): Promise<void>;
  /** How many listen to a sharded channel where it belongs. */
  listeners(channel: string): Promise<number>;
  /** Sudden death of one of them. */
  kill(index: number): Promise<void>;
  restart(index: number): Promise<void>;
  /** The connections that there are pass no byte any more, and stay open; new ones are well. */
  silence(): void;
  stop(): Promise<void>;
}

/** Starts a cluster of the caller's own, which clients reach over wires. It is stopped at the end if the test forgot. */
export async function startRedisCluster(): Promise<TestRedisCluster> {
  const program = await findProgram({ package: 'redis-server', file: 'usr/bin/redis-server' });
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-redis-cluster-'));
  const ports = [await freePort(), await freePort(), await freePort()];
  const wires = await Promise.all(ports.map(startProxy));
  const start = async (index: number) => {
    const port = ports[index] ?? 0;
    const file = path.join(folder, `${port}.conf`);
    const mode = ['--cluster-enabled', 'yes', '--cluster-config-file', file, '--cluster-node-timeout', '1000'];
    const told = ['--cluster-announce-port', String(wires[index]?.port)];
    return runRedis(program, port, [...mode, ...told, '--cluster-port', String(await freePort())]);
  };
  const servers = await Promise.all(ports.map((_, index) => start(index)));
  const stop = async () => {
    await Promise.all([...servers.map((server) => server.kill()), ...wires.map((wire) => wire.stop())]);
    await rm(folder, { recursive: true, force: true });
  };
  atEnd(stop);
  await join(ports);
  const ownerOf = (slot: number) => Math.floor(slot / Math.ceil(16_384 / ports.length));
  const next = (index: number) => (index + 1) % ports.length;
  const slotOf = async (key: string) => Number(await ask(ports[0], 'CLUSTER', 'KEYSLOT', key));
  return {
    url: `redis://127.0.0.1:${wires[0]?.port}`,
    ownerOf: async (key) => ownerOf(await slotOf(key)),
    moveSlot: async (key) => {
      const slot = await slotOf(key);
      await moveSlots([slot], ports, ownerOf(slot), next(ownerOf(slot)));
    },
    moveAllSlots: async (key) => {
      const owner = ownerOf(await slotOf(key));
      const slots = Array.from({ length: 16_384 }, (_, slot) => slot).filter((slot) => ownerOf(slot) === owner);
      await moveSlots(slots, ports, owner, next(owner));
    },
    listeners: async (channel) => {
      const answers = await Promise.all(ports.map((port) => ask(port, 'PUBSUB', 'SHARDNUMSUB', channel)));
      return answers.flat().reduce<number>((sum, answer) => sum + (typeof answer === 'number' ? answer : 0), 0);
    },
    kill: async (index) => servers[index]?.kill(),
    restart: async (index) => {
      servers[index] = await start(index);
    },
    silence: () => {
      for (const wire of wires) wire.silence();
    },
    stop,
  };
}

async function ask(port = 0, command: string, ...args: string[]): Promise<unknown> {
  const client = new Redis(port, '127.0.0.1');
  return client.call(command, ...args).finally(() => client.disconnect());
}

/** As redis-cli does it: who takes a slot says so with a number that is higher than that of the owner before. */
async function moveSlots(slots: number[], ports: number[], from: number, to: number): Promise<void> {
  const [source, target] = await Promise.all([from, to].map(async (index) => ask(ports[index], 'CLUSTER', 'MYID')));
  const others = ports.filter((_, index) => index !== from && index !== to);
  await setSlots(ports[to], slots, 'IMPORTING', String(source));
  await setSlots(ports[from], slots, 'MIGRATING', String(target));
  for (const port of [ports[to], ports[from], ...others]) await setSlots(port, slots, 'NODE', String(target));
}

async function setSlots(port = 0, slots: number[], state: string, id: string): Promise<void> {
  const client = new Redis(port, '127.0.0.1');
  await client.pipeline(slots.map((slot) => ['call', 'CLUSTER', 'SETSLOT', String(slot), state, id])).exec();
  client.disconnect();
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

/** @param sentinelFile the configuration of a Sentinel, which is then started in place of a server */
export async function runRedis(
  program: Program,
  port: number,
  more: string[] = [],
  sentinelFile?: string,
): Promise<RunningRedis> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir(), ...more];
  const server = [...where, '--save', '', '--appendonly', 'no', '--daemonize', 'no'];
  const args = sentinelFile ? [sentinelFile, '--sentinel'] : server;
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
    return /^(\+PONG|-NOAUTH)/.test(String(answer));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
