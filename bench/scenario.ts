/** What one round measured, by name. */
export type Figures = Record<string, number>;

/** One of those that are compared, ready to be measured over and over. */
export interface Side {
  measure(): Promise<Figures>;
  close(): void;
}

export interface Scenario {
  name: string;
  /** What its name has behind it in the row of each baseline, where there are several. */
  against?: string[];
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

/** Scenarios that are measured on the same subjects, one after the other. */
export interface Stage {
  /** @param compare measures a scenario that is `wanted` on all sides, of which Parley is the last */
  run(
    wanted: (scenario: Scenario) => boolean,
    compare: (scenario: Scenario, sides: Side[]) => Promise<void>,
  ): Promise<void>;
}

/** @param open the baselines, and Parley last */
export function stage<S extends { stop(): Promise<void> }>(
  open: (() => Promise<S>)[],
  scenarios: Measured<S>[],
): Stage {
  return {
    async run(wanted, compare) {
      const due = scenarios.filter(wanted);
      const subjects: S[] = [];
      try {
        if (due.length > 0) for (const side of open) subjects.push(await side());
        for (const scenario of due) {
          const sides: Side[] = [];
          for (const subject of subjects) sides.push(await scenario.prepare(subject));
          await compare(scenario, sides);
          for (const side of sides) side.close();
        }
      } finally {
        for (const subject of subjects) await subject.stop();
      }
    },
  };
}
