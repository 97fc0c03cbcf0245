/** What one round measured, by name. */
export type Figures = Record<string, number>;

/** One of the two that are compared, ready to be measured over and over. */
export interface Side {
  measure(): Promise<Figures>;
  close(): Promise<void>;
}

export interface Scenario {
  name: string;
  /** The figure that is compared, and what counts as good. */
  figure: string;
  unit: string;
  better: 'smaller' | 'larger';
  /** What Parley's figure should be, as a ratio to the baseline's. */
  goal: number;
  sides: [baseline: () => Promise<Side>, parley: () => Promise<Side>];
}
