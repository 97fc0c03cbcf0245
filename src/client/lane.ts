/** Work with limited concurrency, in order of arrival. */
export class Lane {
  private readonly most: number;
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;

  constructor(most: number) {
    this.most = most;
  }

  /** @param work never fails */
  add(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.next();
  }

  private next(): void {
    if (this.running >= this.most) return;
    const work = this.waiting.shift();
    if (!work) return;
    this.running++;
    void work().finally(() => {
      this.running--;
      this.next();
    });
  }
}
