import type { Database } from '../../database/database.ts';
import { jittered } from '../../infrastructure/jitter.ts';
import type { Log } from '../../infrastructure/log.ts';
import { mergeNewWords } from './earlier.table.ts';

const everyMs = 5000;

/**
 * Merges the words of new messages into the search index, in the background. PostgreSQL keeps them in a pending list, and
 * the insert that makes it too long has to merge it all: every few ten thousand messages one batch took a fifth of a
 * second, and all sends waited for it.
 */
export class SearchIndex {
  private readonly database: Database;
  private readonly log: Log;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private failed = false;

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
  }

  start(): void {
    this.timer = setInterval(() => void this.merge(), jittered(everyMs));
    this.timer.unref();
  }

  /** Does what is pending; a call during a run waits for that run. */
  merge(): Promise<void> {
    this.running ??= this.mergeNow().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async mergeNow(): Promise<void> {
    try {
      await mergeNewWords(this.database.rows);
      this.failed = false;
    } catch (error) {
      if (!this.failed) this.log.warn({ err: error }, 'The search index could not be merged; trying again.');
      this.failed = true;
    }
  }
}
