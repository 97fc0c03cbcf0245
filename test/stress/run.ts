import { parseArgs } from 'node:util';
import { runEnding } from '../rig/ending.ts';
import { seedOfRun } from '../rig/random.ts';
import { type Fault, faults } from './faults.ts';
import { randomFault } from './random.ts';
import { type Site, startSite } from './site.ts';
import { header, row } from './table.ts';
import { type Load, type Progress, runTrial } from './trial.ts';

/**
 * `npm run stress -- [fault ...] [--seconds N] [--nodes N] [--channels N] [--receivers N] [--senders N] [--pause MS]
 * [--seed N] [--workers N]`: breaks a whole installation while messages are sent, and checks that what contract §10 promises
 * holds; `--workers` says how many processes each node has, behind one port. One
 * row for each fault; exit code 1 when a promise broke. `random` breaks several things at once, and is another fault with
 * each seed; named several times it takes one seed after the other. Ended by a signal it says what it found by then.
 */

const names = [...faults.map((fault) => fault.name), 'random'].join(', ');
const usage = `Faults: ${names}. Without a name: each in turn, but "all" and "random".`;
const legend = `sent, acked: messages; raw: undisturbed sockets, stock: Socket.IO's own recovery, after: channel:join { after },
resume: auth.resume, poll: long polls, each in % of what was acknowledged and due to them; twice, order: events that came
again or out of order; p50, p99: from the begin of a send to an undisturbed socket; gap: the longest that one waited for
an acknowledged message; recovered: returns of stock clients that Socket.IO recovered.`;

/** The fault under way, and how far that is. */
let now: { fault: Fault; progress: Progress } | undefined;

for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    if (now) sayEnded(now.fault, now.progress);
    void runEnding().finally(() => process.exit(130));
  });
process.exit(await main());

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '12' },
      nodes: { type: 'string', default: '2' },
      channels: { type: 'string', default: '20' },
      receivers: { type: 'string', default: '10' },
      senders: { type: 'string', default: '16' },
      pause: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(seedOfRun()) },
      workers: { type: 'string', default: '1' },
    },
  });
  let seed = Number(values.seed);
  const chosen = positionals.map((name) =>
    name === 'random' ? randomFault(seed++) : faults.find((fault) => fault.name === name),
  );
  const known = chosen.filter((fault) => fault !== undefined);
  if (known.length < chosen.length) {
    say(usage);
    return 2;
  }
  const { seconds, channels, receivers, senders, pause } = values;
  const load: Load = {
    seconds: Number(seconds),
    channels: Number(channels),
    receivers: Number(receivers),
    senders: Number(senders),
    pauseMs: Number(pause),
  };
  const list = known.length > 0 ? known : faults.filter((fault) => fault.name !== 'all');
  const site = await startSite(Number(values.nodes), positionals.includes('random'), Number(values.workers));
  return runAll(list, site, load).finally(runEnding);
}

async function runAll(list: Fault[], site: Site, load: Load): Promise<number> {
  let broken = 0;
  say(header);
  for (const fault of list) {
    const progress: Progress = { step: '', since: Date.now() };
    now = { fault, progress };
    const outcome = await runTrial(site, fault, load, progress).catch((error: Error) => {
      sayBroken(fault, error.message, progress.ledger);
    });
    if (outcome) say(row(outcome));
    if (outcome && outcome.broken.length > 0) sayBroken(fault, 'kept not all', outcome);
    if (!outcome || outcome.broken.length > 0) broken++;
    // What hangs holds up the next one too.
    if (!outcome) break;
  }
  now = undefined;
  say(`\n${legend}`);
  say(broken === 0 ? 'Every promise was kept.' : `Promises were broken under ${broken} of ${list.length} faults.`);
  await site.stop();
  return broken === 0 ? 0 : 1;
}

function sayEnded(fault: Fault, { step, since, ledger }: Progress): void {
  sayBroken(fault, `was ended while ${step}, which took ${Date.now() - since} ms by then`, ledger);
}

function sayBroken(fault: Fault, what: string, found: { broken: string[]; story: string[] } | undefined): void {
  say(`  ! ${fault.name}: ${what}`);
  for (const sentence of found?.broken.slice(0, 10) ?? []) say(`  ! ${sentence}`);
  if (found && found.story.length > 0) say(`  ${found.story.join(', ')}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
