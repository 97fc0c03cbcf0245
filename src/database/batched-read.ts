interface Request<V> {
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/** How many queries may run at once. */
const maxRunning = 2;
/** After so long, in ms, a second one begins beside the first: a hung one must not block all others. */
const patienceMs = 20;
/** How many keys a query is asked for: with more of them one costs hardly less, and its rows take long to read. */
const maxKeys = 200;
/** How many requests are answered in one turn of the event loop: each goes on at once, say by letting a client in. */
const answeredAtOnce = 64;

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Reads by key, with one query for everything requested while earlier queries run: a thousand clients that reconnect at
 * once cost a few queries. A query starts after all its requests, so its result is never older than a request. However
 * many wait for one, others get their turn in between.
 */
export class BatchedRead<V> {
  private readonly readAll: (keys: string[]) => Promise<Map<string, V>>;
  private readonly aloneMs: number;
  private waiting = new Map<string, Request<V>[]>();
  private running = 0;
  /** When the last query began. */
  private begun = 0;

  /** @param aloneMs how long a query has none beside it, in ms: meanwhile the next one gathers more, but waits longer */
  constructor(readAll: (keys: string[]) => Promise<Map<string, V>>, aloneMs = patienceMs) {
    this.readAll = readAll;
    this.aloneMs = aloneMs;
  }

  /** The value of a key; undefined if there is none. */
  read(key: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) this.runSoon();
      const requests = this.waiting.get(key);
      if (requests) requests.push({ resolve, reject });
      else this.waiting.set(key, [{ resolve, reject }]);
    });
  }

  private runSoon(): void {
    setImmediate(() => void this.run());
  }

  private async run(): Promise<void> {
    if (this.running >= maxRunning || this.waiting.size === 0) return;
    const early = this.begun + this.aloneMs - performance.now();
    if (this.running > 0 && early > 0) {
      setTimeout(() => void this.run(), early);
      return;
    }
    const batch = this.take();
    this.running++;
    this.begun = performance.now();
    const read = this.readAll(batch.map(([key]) => key));
    const answered = await read.then(
      (found) => (request: Request<V>, key: string) => request.resolve(found.get(key)),
      (error: unknown) => (request: Request<V>) => request.reject(error),
    );
    this.running--;
    this.runSoon();
    let count = 0;
    for (const [key, requests] of batch) {
      for (const request of requests) {
        answered(request, key);
        if (++count % answeredAtOnce === 0) await nextTurn();
      }
    }
  }

  /** The oldest of what waits. */
  private take(): [key: string, Request<V>[]][] {
    const all = [...this.waiting];
    this.waiting = new Map(all.slice(maxKeys));
    if (this.waiting.size > 0) this.runSoon();
    return all.slice(0, maxKeys);
  }
}
