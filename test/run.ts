import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { runEnding } from './bench/ending.ts';
import { sharedPostgres } from './bench/postgres.ts';
import { sharedRedis } from './bench/redis.ts';

/**
 * `npm test [files] [mocha's options]`: all tests against one node, then again against two where that may differ.
 * The last line says how many passed and failed; named files run once.
 */

const countsSchema = z.object({ passed: z.number(), failed: z.number() });
type Counts = z.infer<typeof countsSchema>;

/** Folders and files that start what they need themselves, or to which the number of nodes makes no difference. */
const onceIsEnough = [
  'faults/',
  'client/faults',
  'database/',
  'documents/',
  'gateway/fuzz',
  'rest/fuzz',
  'accounts/mail',
];

const root = path.resolve(import.meta.dirname, '..');
const mochaBin = path.join(root, 'node_modules/mocha/bin/mocha.js');
let running: ChildProcess | undefined;
let interrupted: NodeJS.Signals | undefined;

process.chdir(root);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void interrupt(name));
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-test-'));
  let total: Counts = { passed: 0, failed: 0 };
  try {
    const env = await prepare(folder);
    for (const pass of passesFor(args)) {
      if (interrupted) break;
      total = add(total, await runMocha(pass.args, { ...env, ...pass.env }));
    }
  } finally {
    await runEnding();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  if (interrupted) return 128 + constants.signals[interrupted];
  return total.failed === 0 && total.passed > 0 ? 0 : 1;
}

/** Starts what all tests share. Their temporary files go into the folder, so that nothing of theirs remains. */
async function prepare(folder: string): Promise<NodeJS.ProcessEnv> {
  process.env.TMPDIR = path.join(folder, 'tmp');
  // Programs of the tests that run as another user have to pass.
  await chmod(folder, 0o755);
  await mkdir(process.env.TMPDIR);
  const [postgres, redis] = await Promise.all([sharedPostgres(), sharedRedis()]);
  const PARLEY_TEST_COUNTS = path.join(folder, 'counts.json');
  return { ...process.env, PARLEY_TEST_POSTGRES: postgres, PARLEY_TEST_REDIS: redis, PARLEY_TEST_COUNTS };
}

interface Pass {
  args: string[];
  env: NodeJS.ProcessEnv;
}

function passesFor(args: string[]): Pass[] {
  const namesFiles = args.some((arg) => !arg.startsWith('-') && (arg.includes('*') || existsSync(arg)));
  if (namesFiles) return [{ args, env: {} }];
  const files = globSync('test/**/*.test.ts').sort();
  const onBoth = files.filter((file) => !onceIsEnough.some((place) => file.startsWith(path.join('test', place))));
  const passes = [{ args: [...args, ...files], env: {} }];
  if (onBoth.length > 0) passes.push({ args: [...args, ...onBoth], env: { PARLEY_NODES: '2' } });
  return passes;
}

/** One run of mocha, in a process group of its own, so that whatever the tests left running ends with it. */
async function runMocha(args: string[], env: NodeJS.ProcessEnv): Promise<Counts> {
  const file = env.PARLEY_TEST_COUNTS ?? '';
  await rm(file, { force: true });
  const reporter = ['--reporter', path.join(root, 'test/bench/reporter.ts')];
  running = spawn(process.execPath, [mochaBin, ...reporter, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const [code] = await once(running, 'close');
  signalGroup(running, 'SIGKILL');
  const counts = existsSync(file)
    ? countsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
    : { passed: 0, failed: 0 };
  // Mocha itself failed: it could not load a file, or something stayed open.
  if (code !== 0 && counts.failed === 0 && !interrupted) return { ...counts, failed: 1 };
  return counts;
}

function add(one: Counts, other: Counts): Counts {
  return { passed: one.passed + other.passed, failed: one.failed + other.failed };
}

async function interrupt(name: NodeJS.Signals): Promise<void> {
  interrupted ??= name;
  if (!running) return;
  signalGroup(running, name);
  await delay(3000, undefined, { ref: false });
  signalGroup(running, 'SIGKILL');
}

function signalGroup(leader: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (leader.pid) process.kill(-leader.pid, name);
  } catch {
    // Nobody of the group is left.
  }
}
