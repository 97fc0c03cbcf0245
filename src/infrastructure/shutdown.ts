import type { Log } from './log.ts';
import { within } from './within.ts';

/** How long a step is awaited: until the overall deadline, or until it is done. */
type Patience = 'in time' | 'to its end';

interface Step {
  name: string;
  run: () => void | Promise<void>;
  patience: Patience;
}

/**
 * Shuts a node down in the reverse order of its start; each step runs once, despite errors. Parts that wait for a hung
 * PostgreSQL or Redis do not block the exit for ever: the supervisor would kill the process.
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
