import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { freePort } from '../../src/database/embedded/first-start.ts';
import { findProgram, type Program } from './debian-program.ts';
import { atEnd } from './ending.ts';
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

async function run(program: Program, port: number): Promise<RunningRedis> {
  const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', tmpdir()];
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
  await until(answered, { timeout: 10_000, message: 'Redis did not answer' }).catch(async (error: unknown) => {
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
