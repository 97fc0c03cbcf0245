const periodMs = 10_000;
/** This many changes in a period are logged at once, for example those of a restart. */
const toldAtOnce = 4;

/**
 * Reports the changes of a state that may flap, such as a connection that keeps breaking: the first ones at once, then
 * at most one in a period, with the state at that time.
 */
export class StateLog<State> {
  private readonly report: (state: State, leftOut: number) => void;
  private told: State;
  private current: State;
  private changes = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param tell gets the number of changes left out before this one */
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

  /** Reports nothing from now on. */
  close(): void {
    clearInterval(this.timer);
  }

  private nextPeriod(): void {
    const leftOut = this.changes - toldAtOnce;
    // A state that flapped starts the next period as it ended this one.
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
