import type { Log } from './log.ts';
import { within } from './within.ts';

/** How long a step is awaited: until the overall deadline, until it is done, or for so many ms. */
type Patience = 'in time' | 'to its end' | number;

/** What the steps after one with a limit of its own have together, in ms, however long that took. */
const restMs = 1000;

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
    let deadline = performance.now() + this.limitMs;
    const late: string[] = [];
    for (const step of this.steps.reverse()) {
      const done = this.runStep(step);
      const { patience } = step;
      const left = Math.max(deadline - performance.now(), 0);
      if (patience === 'to its end') await done;
      else if (!(await within(done, patience === 'in time' ? left : patience))) late.push(step.name);
      if (typeof patience === 'number') deadline = Math.max(deadline, performance.now() + restMs);
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
