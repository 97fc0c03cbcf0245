import { clock } from '../infrastructure/clock.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Database } from './database.ts';

/** `performance.now()` stops while the machine is suspended, and drifts. */
const measureMs = 10_000;
/** A machine's clock this far off is worth a line in the log. */
const farMs = 5000;

const selectTime = 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS time';

/** Synchronizes the process's clock with PostgreSQL's. */
export class ClockSync {
  private readonly database: Pick<Database, 'committedRows'>;
  private readonly log: Log;
  private readonly timer: NodeJS.Timeout;
  private running = false;

  private constructor(database: Pick<Database, 'committedRows'>, log: Log) {
    this.database = database;
    this.log = log;
    this.timer = setInterval(() => void this.measure(), measureMs).unref();
  }

  /** Measures at once, then regularly. Until PostgreSQL answers, the machine's own clock is used. */
  static async start(database: Pick<Database, 'committedRows'>, log: Log): Promise<ClockSync> {
    const sync = new ClockSync(database, log);
    await sync.measure();
    const behindSeconds = Math.round(clock.behindMs / 1000);
    if (Math.abs(clock.behindMs) > farMs)
      log.warn({ behindSeconds }, "This machine's clock differs from PostgreSQL's.");
    return sync;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async measure(): Promise<void> {
    if (this.running) return;
    this.running = true;
    const from = performance.now();
    try {
      const [row] = await this.database.committedRows<{ time: number }>(selectTime);
      if (row) clock.measured(row.time, from, performance.now());
    } catch (error) {
      this.log.debug({ err: error }, 'The time could not be read from PostgreSQL; trying again.');
    } finally {
      this.running = false;
    }
  }
}
