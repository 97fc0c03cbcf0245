/** Work that is done one piece after the other, each in a turn of its own: together they would hold the page. */
export class Turns {
  private last = Promise.resolve();

  /** @param work must not fail */
  take(work: () => Promise<void>): void {
    this.last = this.last.then(() => new Promise<void>((resolve) => setTimeout(resolve))).then(work);
  }
}
