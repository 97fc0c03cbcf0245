import type { Log } from './log.ts';
import { within } from './within.ts';

/** How long a step is waited for: until the time for all is over, or to its end. */
type Patience = 'in time' | 'to its end';

interface Step {
  name: string;
  run: () => void | Promise<void>;
  patience: Patience;
}

/**
 * Takes a node apart in the reverse order in which it was put together; each step runs once, whatever fails. Parts that
 * wait for a PostgreSQL or Redis that hangs do not keep the process: whoever told it to stop would kill it.
 */
export class Shutdown {
  private readonly log: Log;
  private readonly limitMs: number;
  private readonly steps: Step[] = [];
  private running: Promise<void> | undefined;

  constructor(log: Log, limitMs: number) {
    this.log = log;
    this.limitMs = limitMs;
  }

  add(name: string, run: () => void | Promise<void>, patience: Patience = 'in time'): void {
    this.steps.push({ name, run, patience });
  }

  run(): Promise<void> {
    this.running ??= this.runSteps();
    return this.running;
  }

  private async runSteps(): Promise<void> {
    const deadline = performance.now() + this.limitMs;
    const late: string[] = [];
    for (const step of this.steps.reverse()) {
      const done = this.runStep(step);
      if (step.patience === 'to its end') await done;
      else if (!(await within(done, Math.max(deadline - performance.now(), 0)))) late.push(step.name);
    }
    if (late.length > 0) this.log.warn({ late }, 'Not everything could be closed in time.');
  }

  private async runStep(step: Step): Promise<void> {
    try {
      await step.run();
    } catch (error) {
      this.log.error({ err: error }, `Could not close: ${step.name}.`);
    }
  }
}
