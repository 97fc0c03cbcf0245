import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';

/** Mocha's usual output, plus the counts in a file for test/run.ts, which adds up several runs. */
export default class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.PARLEY_TEST_COUNTS;
    runner.once('end', () => {
      const { passes, failures } = this.stats;
      if (file) writeFileSync(file, JSON.stringify({ passed: passes, failed: failures }));
    });
  }
}
