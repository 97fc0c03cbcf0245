import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runEnding } from './rig/ending.ts';
import { type Plan, planFor, type Run } from './rig/plan.ts';
import { sharedPostgres } from './rig/postgres.ts';
import { startRedis } from './rig/redis.ts';
import { type Outcome, outcomeSchema } from './rig/reporter.ts';

/**
 * `npm test [files, folders] [mocha's options]`: the tests, and beside the first of them `npm run check`. At the end come
 * the ten slowest files; the last line says how many tests passed and failed. Named files run without the check, on as many
 * nodes as in a whole run.
 *
 * A test file says by comments in its first lines what it needs:
 *
 * | comment                 | the file runs                                                                         |
 * |-------------------------|---------------------------------------------------------------------------------------|
 * | none                    | on two nodes with a Redis; what it shows there holds on one                           |
 * | `// nodes: one and two` | there, and on one without Redis: of each feature enough to see it work, and all that  |
 * |                         | goes another way without Redis (limits, presence, activities, streams, revocation,    |
 * |                         | recovery of connections)                                                              |
 * | `// nodes: own`         | once: it starts what it needs, or needs no node, or the number makes no difference    |
 * | `// long`               | beside one of these: in a long run, or when it is named                               |
 * | `// alone`              | beside one of these: after all others, with nothing beside it, since it measures      |
 *
 * A long run, `npm run test:long`, which sets PARLEY_TESTS=long, tries all. What tries much (random, sizes, many of a kind)
 * tries a sound share in `npm test`, by test/rig/long.ts: another one for each of those that are alike.
 */

const root = path.resolve(import.meta.dirname, '..');
const mochaBin = path.join(root, 'node_modules/mocha/bin/mocha.js');
/** As many as a small machine has cores. A third lane took two of ten minutes off, and failed tests that wait for a time. */
const sideBySide = 2;
const slowestShown = 10;
const nothing: Outcome = { passed: 0, failures: [], times: {} };
const running = new Set<ChildProcess>();
let interrupted: NodeJS.Signals | undefined;

process.chdir(root);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void interrupt(name));
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const plan = planFor(args);
  const outcomes = plan.mistakes.length > 0 ? [{ ...nothing, failures: plan.mistakes }] : await runAll(plan);
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  const times = outcomes.flatMap((outcome) => Object.entries(outcome.times)).sort(([, a], [, b]) => b - a);
  for (const [file, ms] of times.slice(0, slowestShown))
    process.stdout.write(`slowest: ${(ms / 1000).toFixed(1)} s ${file}\n`);
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  if (interrupted) return 128 + constants.signals[interrupted];
  return failures.length === 0 && passed > 0 ? 0 : 1;
}

async function runAll({ runs, isWhole }: Plan): Promise<Outcome[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-test-'));
  try {
    const env = await prepare(folder);
    const due = runs.filter(({ isAlone }) => !isAlone);
    const last = runs.filter(({ isAlone }) => isAlone);
    const lane = async (at: number, from: Run[]): Promise<Outcome[]> => {
      // Its own, since rate limits know people by the address from which all tests come.
      const own = { PARLEY_TEST_REDIS: (await startRedis()).url, PARLEY_TEST_LANE: String(at) };
      return runLane(from, { ...env, ...own }, path.join(folder, `lane-${at}`), at === 0);
    };
    const lanes: Promise<Outcome[]>[] = [];
    if (isWhole) lanes.push(runCheck(path.join(folder, 'check.log')));
    for (let at = 0; at < Math.min(isWhole ? sideBySide : 1, due.length); at++) lanes.push(lane(at, due));
    const outcomes = (await Promise.all(lanes)).flat();
    return [...outcomes, ...(await lane(0, last))];
  } finally {
    await runEnding();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Starts what all tests share. Their temporary files go into the folder, so that nothing of theirs remains. */
async function prepare(folder: string): Promise<NodeJS.ProcessEnv> {
  process.env.TMPDIR = path.join(folder, 'tmp');
  // Programs of the tests that run as another user have to pass.
  await chmod(folder, 0o755);
  await mkdir(process.env.TMPDIR);
  // Each of the hundred nodes of the tests would compile everything anew.
  const NODE_COMPILE_CACHE = path.join(root, 'node_modules/.cache/compiled');
  return { NODE_COMPILE_CACHE, ...process.env, PARLEY_TEST_POSTGRES: await sharedPostgres() };
}

/** Types, format and lint. What they complain of is printed when they are through, and counts as one failed test. */
async function runCheck(log: string): Promise<Outcome[]> {
  const output = await open(log, 'w');
  const end = await runGroup('npm', ['run', '--silent', 'check'], process.env, ['ignore', output.fd, output.fd]);
  await output.close();
  if (end === 0 || interrupted) return [nothing];
  const complaint = await readFile(log, 'utf8');
  process.stdout.write(complaint);
  const [first = `it ended with ${end}`] = complaint.split('\n').filter((line) => line.trim());
  return [{ ...nothing, failures: [`the check: ${first.trim()}`] }];
}

/**
 * Takes one run after the other of those that are due.
 * @param isShown prints as it goes; the other lanes print a run when it is through, so that no two mix
 */
async function runLane(due: Run[], env: NodeJS.ProcessEnv, name: string, isShown: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let run = due.shift(); run && !interrupted; run = due.shift()) {
    const output = isShown ? undefined : await open(`${name}.log`, 'w');
    const own = { PARLEY_NODES: String(run.nodes), PARLEY_TEST_OUTCOME: `${name}.json` };
    const outcome = await runMocha(run.args, { ...env, ...own }, output);
    const times = Object.entries(outcome.times).map(([file, ms]) => [`${file} (${run.name})`, ms]);
    outcomes.push({ ...outcome, times: Object.fromEntries(times) });
    await output?.close();
    if (output) process.stdout.write(await readFile(`${name}.log`));
  }
  return outcomes;
}

async function runMocha(args: string[], env: NodeJS.ProcessEnv, output: FileHandle | undefined): Promise<Outcome> {
  const file = env.PARLEY_TEST_OUTCOME ?? '';
  await rm(file, { force: true });
  const reporter = ['--reporter', path.join(root, 'test/rig/reporter.ts')];
  const out = output?.fd ?? 'inherit';
  const end = await runGroup(process.execPath, [mochaBin, ...reporter, ...args], env, ['ignore', out, out, 'ipc']);
  const outcome = existsSync(file) ? outcomeSchema.parse(JSON.parse(await readFile(file, 'utf8'))) : nothing;
  // Mocha itself failed: it could not load a file, or something stayed open.
  if (end === 0 || outcome.failures.length > 0 || interrupted) return outcome;
  return { ...outcome, failures: [`mocha ended with ${end}`] };
}

/**
 * Runs a program in a process group of its own, so that whatever it leaves running ends with it.
 * @returns its exit code, or the signal that ended it
 */
async function runGroup(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): Promise<number | NodeJS.Signals> {
  const leader = spawn(program, args, { env, stdio, detached: true });
  running.add(leader);
  const [code, signal] = await once(leader, 'close');
  running.delete(leader);
  signalGroup(leader, 'SIGKILL');
  return code ?? signal;
}

async function interrupt(name: NodeJS.Signals): Promise<void> {
  interrupted ??= name;
  const all = [...running];
  for (const leader of all) signalGroup(leader, name);
  await delay(3000, undefined, { ref: false });
  for (const leader of all) signalGroup(leader, 'SIGKILL');
}

function signalGroup(leader: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (leader.pid) process.kill(-leader.pid, name);
  } catch {
    // Nobody of the group is left.
  }
}
