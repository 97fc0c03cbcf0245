/** Aborts when nothing was noted for some time. */
export class IdleTimer {
  private readonly controller = new AbortController();
  private readonly ms: number;
  private timer: NodeJS.Timeout | undefined;
  private last = performance.now();
  private isExcused = () => false;
  private patience = 1;

  constructor(ms: number) {
    this.ms = ms;
    this.wait(ms);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Notes that something happened. */
  touch(): void {
    this.last = performance.now();
  }

  /** While the test holds, silence may last this many times as long. */
  excuse(isExcused: () => boolean, patience: number): void {
    this.isExcused = isExcused;
    this.patience = patience;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private wait(ms: number): void {
    this.timer = setTimeout(() => {
      const allowed = this.isExcused() ? this.ms * this.patience : this.ms;
      const left = this.last + allowed - performance.now();
      if (left > 0) this.wait(Math.min(left, this.ms));
      else this.controller.abort();
    }, ms).unref();
  }
}
