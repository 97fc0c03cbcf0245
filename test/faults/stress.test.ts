// nodes: own

import { expect } from 'chai';
import { isLong } from '../rig/long.ts';
import { seedOfRun } from '../rig/random.ts';
import { faults } from '../stress/faults.ts';
import { randomFault } from '../stress/random.ts';
import { type Site, startSite } from '../stress/site.ts';
import { header, row } from '../stress/table.ts';
import { type Load, runTrial } from '../stress/trial.ts';

/** The stress programme in short (see test/stress/run.ts). */
describe('under stress', () => {
  const load: Load = { seconds: 2.5, channels: 8, receivers: 3, senders: 6, pauseMs: 50 };
  let site: Site;

  before(async () => {
    site = await startSite(2, true);
  });
  after(() => site.stop());

  // What fills the buffers of a kernel takes longer, and has a test of its own.
  const left = ['slow-consumer', 'all'];
  const all = [...faults.filter(({ name }) => !left.includes(name)), randomFault(seedOfRun())];
  const few = ['jitter', 'node-kill'];
  const chosen = isLong ? all : all.filter(({ name }) => few.includes(name));
  for (const fault of chosen) {
    it(`everything acknowledged is delivered once and in order: ${fault.name}`, async () => {
      const outcome = await runTrial(site, fault, load);
      expect(outcome.acknowledged).to.be.above(0);
      expect(outcome.broken, `${header}\n${row(outcome)}\n${outcome.story.join(', ')}`).to.deep.equal([]);
    });
  }
});
