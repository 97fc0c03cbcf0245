/**
 * For what is read whole and kept up by events. Answers may come in another order than they were asked for, and events
 * while one is on its way: neither may put something older in the place of something newer.
 */
export class Overtaking {
  private asked = 0;
  private shown = 0;
  private heard = 0;

  /** Something came by an event, or was changed here. */
  hear(): void {
    this.heard++;
  }

  /** Shows what was read, unless what was asked for later is shown already; reads again if something was heard. */
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
