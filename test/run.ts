import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, type FileHandle, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runEnding } from './rig/ending.ts';
import { sharedPostgres } from './rig/postgres.ts';
import { startRedis } from './rig/redis.ts';
import { type Outcome, outcomeSchema } from './rig/reporter.ts';

/**
 * `npm test [files] [mocha's options]`: all tests once, and those again on one node that show something else there than
 * on two. The last line says how many passed and failed; named files run once.
 */

/** Folders and files that start what they need themselves, or to which the number of nodes makes no difference. */
const onceIsEnough = [
  'faults/',
  'client/faults',
  'client/outbox',
  'client/session',
  'client/slow-answers',
  'database/',
  'documents/',
  'gateway/fuzz',
  'rest/fuzz',
  'accounts/abandoned-links',
  'accounts/issuers',
  'accounts/mail',
  'accounts/oauth',
  'agents/cut-off-again',
  'agents/policy-unknown',
  'agents/webhook-failures',
  'apps/bundles',
  'apps/zip-names',
  'architecture',
  'blobs/',
  'delivery/bus',
  'delivery/caches',
  'delivery/changes',
  'delivery/confirmations',
  'delivery/failing-statements',
  'delivery/invalidation-watch',
  'delivery/live-stream',
  'delivery/lost-commits',
  'delivery/model',
  'delivery/operations',
  'delivery/reads',
  'delivery/staleness',
  'delivery/strange-messages',
  'delivery/sweeper',
  'delivery/trimming',
  'gateway/first-moments',
  'gateway/floods',
  'gateway/frames',
  'gateway/http-server',
  'gateway/oversized',
  'gateway/retries',
  'gateway/slow-bodies',
  'gateway/upgrades',
  'gateway/wire',
  'health/tracing',
  'infrastructure/',
  'messages/mentions',
  'messages/page-plans',
  'presence/broadcaster',
  'presence/directory',
  'presence/leases',
  'presence/model',
  'presence/refused',
  'presence/tracker',
  'presence/wishes',
  'rest/broken-requests',
  'rest/cors',
  'rest/doors',
  'rest/leftovers',
  'rest/limits',
  'rest/multipart',
  'rest/nulls',
  'schema/',
  'search/scale',
  'settings',
  'workspace/tree-text',
];

/** What these show on two nodes holds on one; what a node does otherwise when it is alone is not theirs to show. */
const twoNodesAreEnough = [
  'agents/memberships',
  'agents/webhook-audience',
  'agents/webhooks',
  'apps/apps',
  'apps/origin',
  'apps/proxy',
  'invites/',
  'media/',
  'messages/content',
  'messages/paging',
  'model-proxy/',
  'notifications/jobs',
  'rest/strangers',
  'search/search',
  'servers/large-servers',
  'servers/limits',
  'workspace/',
];

/** One start of mocha. */
interface Run {
  args: string[];
  env: NodeJS.ProcessEnv;
}

const root = path.resolve(import.meta.dirname, '..');
const mochaBin = path.join(root, 'node_modules/mocha/bin/mocha.js');
/** One more than a small machine has cores: much of the tests is waiting. A third lane took two of ten minutes off. */
const sideBySide = 3;
const nothing: Outcome = { passed: 0, failures: [] };
const running = new Set<ChildProcess>();
let interrupted: NodeJS.Signals | undefined;

process.chdir(root);
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void interrupt(name));
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-test-'));
  const outcomes: Outcome[] = [];
  try {
    const env = await prepare(folder);
    const due = runsFor(args);
    const lanes: Promise<Outcome[]>[] = [];
    for (let at = 0; at < Math.min(sideBySide, due.length); at++) {
      // Its own, since rate limits know people by the address from which all tests come.
      const own = { PARLEY_TEST_REDIS: (await startRedis()).url, PARLEY_TEST_LANE: String(at) };
      lanes.push(runLane(due, { ...env, ...own }, path.join(folder, `lane-${at}`), at === 0));
    }
    outcomes.push(...(await Promise.all(lanes)).flat());
  } finally {
    await runEnding();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failures = outcomes.flatMap((outcome) => outcome.failures);
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
  process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
  if (interrupted) return 128 + constants.signals[interrupted];
  return failures.length === 0 && passed > 0 ? 0 : 1;
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

/** What is to be run: the longest first, and in turn what works and what waits. */
function runsFor(args: string[]): Run[] {
  const namesFiles = args.some((arg) => !arg.startsWith('-') && (arg.includes('*') || existsSync(arg)));
  if (namesFiles) return [{ args, env: {} }];
  const files = globSync('test/**/*.test.ts').sort();
  const isOf = (places: string[]) => (file: string) =>
    places.some((place) => file.startsWith(path.join('test', place)));
  const [isOnce, isForTwo] = [isOf(onceIsEnough), isOf(twoNodesAreEnough)];
  const isWeb = (file: string) => /^test.faults.web/.test(file);
  const isFault = (file: string) => /^test.faults/.test(file) && !isWeb(file);
  const [once, several] = [files.filter(isOnce), files.filter((file) => !isOnce(file))];
  const others = once.filter((file) => !isFault(file) && !isWeb(file));
  // Those with the faults wait much; beside each other they would be in each other's way when they work. Small parts, so
  // that all lanes end at about the same time.
  const faults = dealt(once.filter(isFault), 12);
  const small = dealt(once.filter(isWeb), 4).flatMap((part, at) => [part, ...faults.slice(3 * at, 3 * at + 3)]);
  const parts = [others, several.filter((file) => !isForTwo(file)), ...small];
  return [
    { args: [...args, ...several], env: { PARLEY_NODES: '2' } },
    ...parts.map((part) => ({ args: [...args, ...part], env: {} })),
  ];
}

/** Deals files out, so that neighbours come apart, which often take equally long. */
function dealt(files: string[], count: number): string[][] {
  return Array.from({ length: count }, (_, part) => files.filter((_file, at) => at % count === part));
}

/**
 * Takes one run after the other of those that are due.
 * @param isShown prints as it goes; the other lanes print a run when it is through, so that no two mix
 */
async function runLane(due: Run[], env: NodeJS.ProcessEnv, name: string, isShown: boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let run = due.shift(); run && !interrupted; run = due.shift()) {
    const output = isShown ? undefined : await open(`${name}.log`, 'w');
    outcomes.push(await runMocha(run.args, { ...env, ...run.env, PARLEY_TEST_OUTCOME: `${name}.json` }, output));
    await output?.close();
    if (output) process.stdout.write(await readFile(`${name}.log`));
  }
  return outcomes;
}

/** One run of mocha, in a process group of its own, so that whatever the tests left running ends with it. */
async function runMocha(args: string[], env: NodeJS.ProcessEnv, output: FileHandle | undefined): Promise<Outcome> {
  const file = env.PARLEY_TEST_OUTCOME ?? '';
  await rm(file, { force: true });
  const reporter = ['--reporter', path.join(root, 'test/rig/reporter.ts')];
  const out = output?.fd ?? 'inherit';
  const stdio: StdioOptions = ['ignore', out, out, 'ipc'];
  const mocha = spawn(process.execPath, [mochaBin, ...reporter, ...args], { env, stdio, detached: true });
  running.add(mocha);
  const [code, signal] = await once(mocha, 'close');
  running.delete(mocha);
  signalGroup(mocha, 'SIGKILL');
  const outcome = existsSync(file) ? outcomeSchema.parse(JSON.parse(await readFile(file, 'utf8'))) : nothing;
  // Mocha itself failed: it could not load a file, or something stayed open.
  if (code === 0 || outcome.failures.length > 0 || interrupted) return outcome;
  return { ...outcome, failures: [`mocha ended with ${code ?? signal}`] };
}

async function interrupt(name: NodeJS.Signals): Promise<void> {
  interrupted ??= name;
  const all = [...running];
  for (const mocha of all) signalGroup(mocha, name);
  await delay(3000, undefined, { ref: false });
  for (const mocha of all) signalGroup(mocha, 'SIGKILL');
}

function signalGroup(leader: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (leader.pid) process.kill(-leader.pid, name);
  } catch {
    // Nobody of the group is left.
  }
}
