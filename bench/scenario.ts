/** What one round measured, by name. */
export type Figures = Record<string, number>;

/** One of the two that are compared, ready to be measured over and over. */
export interface Side {
  measure(): Promise<Figures>;
  close(): void;
}

export interface Scenario {
  name: string;
  /** The figure that is compared, and what counts as good. */
  figure: string;
  unit: string;
  better: 'smaller' | 'larger';
  /** What Parley's figure should be, as a ratio to the baseline's. */
  goal: number;
  /** How often each side is measured; the medians are compared. */
  rounds: number;
}

/** A scenario with what brings a subject under its conditions. */
export interface Measured<S> extends Scenario {
  prepare(subject: S): Promise<Side>;
}

/** Scenarios that are measured on the same two subjects, one after the other. */
export interface Stage {
  /** @param compare measures a scenario that is `wanted` on both sides */
  run(
    wanted: (scenario: Scenario) => boolean,
    compare: (scenario: Scenario, sides: [Side, Side]) => Promise<void>,
  ): Promise<void>;
}

export function stage<S extends { stop(): Promise<void> }>(
  open: [baseline: () => Promise<S>, parley: () => Promise<S>],
  scenarios: Measured<S>[],
): Stage {
  return {
    async run(wanted, compare) {
      const due = scenarios.filter(wanted);
      const subjects: S[] = [];
      try {
        if (due.length > 0) for (const side of open) subjects.push(await side());
        const [baseline, parley] = subjects;
        if (!baseline || !parley) return;
        for (const scenario of due) {
          const sides: [Side, Side] = [await scenario.prepare(baseline), await scenario.prepare(parley)];
          await compare(scenario, sides);
          for (const side of sides) side.close();
        }
      } finally {
        for (const subject of subjects) await subject.stop();
      }
    },
  };
}
