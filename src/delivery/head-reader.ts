import type { Rows } from '../database/database.ts';
import { type Head, readHeads } from './log.ts';

interface Request {
  resolve: (head: Head | undefined) => void;
  reject: (error: unknown) => void;
}

/** So many queries may be under way; one that hangs is not to hold up all others. */
const maxRunning = 2;

/**
 * Reads heads of logs, all that are asked for while others are being read with one query: a thousand clients that come
 * back at once cost a few queries. A query begins after all its requests, so what it reads is never older than a request.
 */
export class HeadReader {
  private readonly rows: Rows;
  private waiting = new Map<string, Request[]>();
  private running = 0;

  constructor(rows: Rows) {
    this.rows = rows;
  }

  /** The head of a log; undefined when there is no such log. */
  read(id: string): Promise<Head | undefined> {
    return new Promise((resolve, reject) => {
      if (this.waiting.size === 0) setImmediate(() => void this.run());
      const requests = this.waiting.get(id);
      if (requests) requests.push({ resolve, reject });
      else this.waiting.set(id, [{ resolve, reject }]);
    });
  }

  private async run(): Promise<void> {
    if (this.running >= maxRunning || this.waiting.size === 0) return;
    const batch = this.waiting;
    this.waiting = new Map();
    this.running++;
    try {
      const heads = await readHeads(this.rows, [...batch.keys()]);
      for (const [id, requests] of batch) for (const request of requests) request.resolve(heads.get(id));
    } catch (error) {
      for (const requests of batch.values()) for (const request of requests) request.reject(error);
    } finally {
      this.running--;
      setImmediate(() => void this.run());
    }
  }
}
