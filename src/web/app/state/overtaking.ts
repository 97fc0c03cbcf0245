/**
 * For data that is read as a whole and updated by events. Responses may arrive out of order, and events during a request:
 * neither may replace something newer by something older.
 */
export class Overtaking {
  private asked = 0;
  private shown = 0;
  private heard = 0;

  /** Something was changed by an event, or here. */
  hear(): void {
    this.heard++;
  }

  /** Shows a response, unless a later request's is shown already; reads again if there was an event. */
  async read<T>(ask: () => Promise<T>, show: (answer: T) => void): Promise<void> {
    const turn = ++this.asked;
    for (;;) {
      const before = this.heard;
      const answer = await ask();
      if (turn < this.shown) return;
      if (before !== this.heard) continue;
      this.shown = turn;
      return show(answer);
    }
  }
}
