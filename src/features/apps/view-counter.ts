import type { Database } from '../../database/database.ts';
import type { Log } from '../../infrastructure/log.ts';
import { addViews } from './app.table.ts';

const everyMs = 2000;

/** Counts views in memory and writes them in batches: a popular app would be one row that everyone waits for. */
export class ViewCounter {
  private readonly database: Database;
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private views = new Map<string, number>();
  private writing: Promise<void> | undefined;

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
    this.timer = setInterval(() => void this.flush(), everyMs);
    this.timer.unref();
  }

  count(appId: string): void {
    this.views.set(appId, (this.views.get(appId) ?? 0) + 1);
  }

  /** Writes the counts so far. What cannot be written is kept for the next time. */
  flush(): Promise<void> {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
    await this.flush();
  }

  private async write(): Promise<void> {
    if (this.views.size === 0) return;
    const views = this.views;
    this.views = new Map();
    try {
      await addViews(this.database.committedRows, views);
    } catch (error) {
      this.log.warn({ err: error }, 'Views of apps could not be counted; it will be tried again.');
      for (const [id, count] of views) this.views.set(id, (this.views.get(id) ?? 0) + count);
    }
  }
}
