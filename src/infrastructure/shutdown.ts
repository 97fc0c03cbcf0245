import type { Log } from './log.ts';

interface Step {
  name: string;
  run: () => void | Promise<void>;
}

/** Takes a node apart in the reverse order in which it was put together; each step runs once, whatever fails. */
export class Shutdown {
  private readonly log: Log;
  private readonly steps: Step[] = [];
  private running: Promise<void> | undefined;

  constructor(log: Log) {
    this.log = log;
  }

  add(name: string, run: () => void | Promise<void>): void {
    this.steps.push({ name, run });
  }

  run(): Promise<void> {
    this.running ??= this.runSteps();
    return this.running;
  }

  private async runSteps(): Promise<void> {
    for (const step of this.steps.reverse()) {
      try {
        await step.run();
      } catch (error) {
        this.log.error({ err: error }, `Could not close: ${step.name}.`);
      }
    }
  }
}
