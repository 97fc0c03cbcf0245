interface Request<V> {
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/** How many queries may run at once; a hung one must not block all others. */
const maxRunning = 2;

/**
 * Reads by key, with one query for everything requested while earlier queries run: a thousand clients that reconnect at
 * once cost a few queries. A query starts after all its requests, so its result is never older than a request.
 */
export class BatchedRead<V> {
  private readonly readAll: (keys: string[]) => Promise<Map<string, V>>;
  private waiting = new Map<string, Request<V>[]>();
  private running = 0;

  constructor(readAll: (keys: string[]) => Promise<Map<string, V>>) {
    this.readAll = readAll;
  }

  /** The value of a key; undefined if there is none. */
  read(key: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.run());
      const requests = this.waiting.get(key);
      if (requests) requests.push({ resolve, reject });
      else this.waiting.set(key, [{ resolve, reject }]);
    });
  }

  private async run(): Promise<void> {
    if (this.running >= maxRunning || this.waiting.size === 0) return;
    const batch = this.waiting;
    this.waiting = new Map();
    this.running++;
    try {
      const found = await this.readAll([...batch.keys()]);
      for (const [key, requests] of batch) for (const request of requests) request.resolve(found.get(key));
    } catch (error) {
      for (const requests of batch.values()) for (const request of requests) request.reject(error);
    } finally {
      this.running--;
      setImmediate(() => void this.run());
    }
  }
}
