import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import { z } from 'zod';

/** What became of a run: how many tests passed, and each that failed with its reason. */
export const outcomeSchema = z.object({ passed: z.number(), failures: z.array(z.string()) });
export type Outcome = z.infer<typeof outcomeSchema>;

/** Mocha's usual output, plus the outcome in a file for test/run.ts, which adds up several runs. */
export default class OutcomeReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.PARLEY_TEST_OUTCOME;
    const failures: string[] = [];
    runner.on('fail', (test, error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${test.fullTitle()}: ${reason.slice(0, 1000)}`);
    });
    runner.once('end', () => {
      if (file) writeFileSync(file, JSON.stringify({ passed: this.stats.passes, failures }));
    });
  }
}
