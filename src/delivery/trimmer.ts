import type { Database } from '../database/database.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings.ts';
import type { DeliveryCounters } from './counters.ts';
import { trim } from './log.ts';

const everyMs = 60_000;
/** Between two batches, so that trimming takes only a little of the database's time. */
const pauseMs = 50;
/** Any number that no other program uses on this database: of all nodes one trims at a time. */
const trimLock = 7_215_002;

/** Keeps the logs within their age and length, in small steps in the background (contract §10.4). */
export class Trimmer {
  private readonly database: Database;
  private readonly settings: Settings['delivery'];
  private readonly counters: DeliveryCounters;
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private closed = false;
  private running = false;

  constructor(database: Database, settings: Settings['delivery'], counters: DeliveryCounters, log: Log) {
    this.database = database;
    this.settings = settings;
    this.counters = counters;
    this.log = log;
    // The first run comes at a random moment, so that nodes which start together do not trim together.
    this.timer = setInterval(() => void this.run(), everyMs * (0.75 + Math.random() / 2));
    this.timer.unref();
  }

  /** Trims until nothing is left to trim. */
  async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (!this.closed && (await this.step()) > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await this.database.rows("DELETE FROM idempotency_keys WHERE created_at < now() - interval '2 days'");
    } catch (error) {
      if (!this.closed) this.log.warn({ err: error }, 'The log could not be trimmed; it will be tried again.');
    } finally {
      this.running = false;
    }
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
  }

  private async step(): Promise<number> {
    const removed = await this.database.quickTransaction(async (rows) => {
      const [lock] = await rows<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [trimLock]);
      return lock?.mine ? trim(rows, this.settings.retentionDays, this.settings.retentionEvents) : 0;
    });
    this.counters.trimmed += removed;
    return removed;
  }
}
