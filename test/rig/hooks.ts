import { createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { config } from 'chai';
import { falseEvents } from '../world/documents.ts';
import { runEnding } from './ending.ts';

/** How long open handles may keep the process after the last test. */
const patienceMs = 60_000;
/** How long they are watched then. */
const watchMs = 5000;

for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => void giveUp());
// The channel is there when test/run.ts started us; its end is the end of test/run.ts.
process.once('disconnect', () => void giveUp());
process.channel?.unref();

// A failure that is seen once has to say what was there instead; test/rig/reporter.ts bounds how much of it is told.
config.truncateThreshold = 0;

/** Mocha's root hooks, see .mocharc.json: whatever the rig started is stopped when the last test is through, and
 * events that were not as the documents say fail the run. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await runEnding();
    void reportOpenHandles();
    if (falseEvents.length > 0) throw new Error(falseEvents.slice(0, 10).join('\n\n'));
  },
};

/** Tests close what they open. One that does not would leave the run hanging without a word. */
async function reportOpenHandles(): Promise<void> {
  await delay(patienceMs, undefined, { ref: false });
  const handles = process.getActiveResourcesInfo().join(', ');
  process.stderr.write(`The tests are through, but these are still open: ${handles}\n`);
  process.stderr.write(`Timers that are set meanwhile:\n${(await timersWithin(watchMs)).join('\n')}\n`);
  // Mocha's own exit handler would turn any exit code into that of the tests.
  process.kill(process.pid, 'SIGKILL');
}

/** The stacks from which timers are set within `ms`: what keeps a process open is mostly one that is set again and again. */
async function timersWithin(ms: number): Promise<string[]> {
  const stacks = new Set<string>();
  const init = (_id: number, type: string) => void (type === 'Timeout' && stacks.add(`${new Error(type).stack}`));
  const hook = createHook({ init }).enable();
  await delay(ms, undefined, { ref: false });
  hook.disable();
  return [...stacks];
}

async function giveUp(): Promise<void> {
  await runEnding().finally(() => process.exit(130));
}
