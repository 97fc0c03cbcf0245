import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import { z } from 'zod';

/** What became of a run: how many tests passed, each that failed with its reason, and how long each file took. */
export const outcomeSchema = z.object({
  passed: z.number(),
  failures: z.array(z.string()),
  /** By file, in milliseconds: with its hooks, without its loading. */
  times: z.record(z.string(), z.number()),
});
export type Outcome = z.infer<typeof outcomeSchema>;

/** Mocha's usual output, plus the outcome in a file for test/run.ts, which adds up several runs. */
export default class OutcomeReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const file = process.env.PARLEY_TEST_OUTCOME;
    const failures: string[] = [];
    const times: Record<string, number> = {};
    let begun = 0;
    const isOuter = (suite: Mocha.Suite) => suite.parent?.root === true;
    runner.on('suite', (suite) => {
      if (isOuter(suite)) begun = performance.now();
    });
    runner.on('suite end', (suite) => {
      if (!isOuter(suite)) return;
      const name = path.relative('', suite.file ?? '');
      times[name] = (times[name] ?? 0) + performance.now() - begun;
    });
    runner.on('fail', (test, error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      failures.push(`${test.fullTitle()}: ${reason.slice(0, 1000)}`);
    });
    runner.once('end', () => {
      if (file) writeFileSync(file, JSON.stringify({ passed: this.stats.passes, failures, times }));
    });
  }
}
