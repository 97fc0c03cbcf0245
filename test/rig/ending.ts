type Step = () => unknown;

const steps: Step[] = [];

/** Has something undone when the test process is through, last things first. */
export function atEnd(step: Step): void {
  steps.unshift(step);
}

/** Undoes all of it; one failing step does not keep the others from running. */
export async function runEnding(): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps.splice(0)) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'The test rig could not be taken down.');
}
