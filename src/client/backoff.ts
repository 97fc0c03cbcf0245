/** Growing delays between attempts, with jitter, so that many clients do not return at the same moment. */
export class Backoff {
  private readonly firstMs: number;
  private readonly mostMs: number;
  private attempts = 0;

  constructor(firstMs: number, mostMs: number) {
    this.firstMs = firstMs;
    this.mostMs = mostMs;
  }

  reset(): void {
    this.attempts = 0;
  }

  /** Milliseconds until the next attempt: from half of the step to the whole step. */
  next(): number {
    const step = Math.min(this.mostMs, this.firstMs * 2 ** Math.min(this.attempts++, 16));
    return step / 2 + (Math.random() * step) / 2;
  }
}

/** Waits, or returns early when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
