const periodMs = 10_000;
/** So many changes in a period are told as they come: something that was restarted, say. */
const toldAtOnce = 4;

/**
 * Tells of the changes of a state that may flap, such as a connection that is cut again and again: the first ones at once,
 * then at most one in a period, for the state that it is in by then.
 */
export class StateLog<State> {
  private readonly report: (state: State, leftOut: number) => void;
  private told: State;
  private current: State;
  private changes = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param tell gets how many changes were left out before this one */
  constructor(initial: State, report: (state: State, leftOut: number) => void) {
    this.told = initial;
    this.current = initial;
    this.report = report;
  }

  set(state: State): void {
    if (state === this.current) return;
    this.current = state;
    this.changes++;
    this.timer ??= setInterval(() => this.nextPeriod(), periodMs).unref();
    if (this.changes <= toldAtOnce) this.reportNow(0);
  }

  /** Nothing is told any more. */
  close(): void {
    clearInterval(this.timer);
  }

  private nextPeriod(): void {
    const leftOut = this.changes - toldAtOnce;
    // In its next period something that flapped begins as it ended.
    this.changes = leftOut > 0 ? toldAtOnce : 0;
    if (leftOut > 0) this.reportNow(leftOut);
    if (this.changes > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private reportNow(leftOut: number): void {
    if (this.current === this.told && leftOut === 0) return;
    this.told = this.current;
    this.report(this.current, leftOut);
  }
}
