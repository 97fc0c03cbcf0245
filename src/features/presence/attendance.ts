import type { Database } from '../../database/database.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import type { Log } from '../../infrastructure/log.ts';
import { type Attended, noteAttended } from './attendance.table.ts';

const flushMs = 5000;
/** How many are buffered between two flushes; beyond that, some are written when they are there again. */
const maxPending = 20_000;

/** When people were last at their devices, kept for what waits until they are gone: written in the background, in batches. */
export class Attendance {
  private readonly database: Database;
  private readonly log: Log;
  private timer: NodeJS.Timeout | undefined;
  private sessions = new Map<string, Attended>();

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
  }

  /** Someone is at the device of a session now, or was until now. */
  note(id: string): void {
    if (this.sessions.size < maxPending || this.sessions.has(id)) this.sessions.set(id, { id, at: dateNow() });
    this.timer ??= setTimeout(() => void this.flush(), flushMs).unref();
  }

  async close(): Promise<void> {
    await this.flush();
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const sessions = [...this.sessions.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.sessions = new Map();
    if (sessions.length === 0) return;
    await noteAttended(this.database.rows, sessions).catch((error) => {
      this.log.debug({ err: error }, 'When people were at their devices could not be written.');
    });
  }
}
