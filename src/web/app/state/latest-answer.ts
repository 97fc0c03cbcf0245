/**
 * For data that is read as a whole and updated by events. Answers may arrive out of order, and events during a request:
 * neither may replace something newer by something older.
 */
export class LatestAnswer {
  private requested = 0;
  private shown = 0;
  private changes = 0;
  private waiting = 0;

  /** Whether an answer is on its way. */
  get isReading(): boolean {
    return this.waiting > 0;
  }

  /** Something was changed by an event, or here. */
  changed(): void {
    this.changes++;
  }

  /** Shows an answer, unless a later request's is shown already; reads again if something changed meanwhile. */
  async read<T>(request: () => Promise<T>, show: (answer: T) => void): Promise<void> {
    const turn = ++this.requested;
    this.waiting++;
    try {
      for (;;) {
        const before = this.changes;
        const answer = await request();
        if (turn < this.shown) return;
        if (before !== this.changes) continue;
        this.shown = turn;
        return show(answer);
      }
    } finally {
      this.waiting--;
    }
  }
}
