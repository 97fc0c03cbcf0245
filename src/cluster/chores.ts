import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLocks, tryLock } from '../database/advisory-locks.ts';
import type { Database, Rows } from '../database/database.ts';
import { jittered } from '../infrastructure/jitter.ts';
import type { Log } from '../infrastructure/log.ts';

/** Background work done in small steps, each of which is one short transaction. */
export interface Chore {
  name: string;
  /** Does one step. @returns how much it did; it is called again while that is not 0 */
  step(rows: Rows): Promise<number>;
}

const everyMs = 60_000;
/** The pause between two steps, so that they take only a little of the database's time. */
const pauseMs = 20;
/** How long a node leaves chores to another one before it checks again. */
const againMs = 1000;

/** Does chores in the background: periodically, and soon after some were left behind. */
export class Chores {
  private readonly database: Database;
  private readonly log: Log;
  private readonly chores: Chore[] = [];
  private readonly timer: NodeJS.Timeout;
  private again: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private wanted = false;
  private closed = false;

  constructor(database: Database, log: Log) {
    this.database = database;
    this.log = log;
    this.timer = setInterval(() => this.soon(), jittered(everyMs));
    this.timer.unref();
  }

  add(...chores: Chore[]): void {
    this.chores.push(...chores);
  }

  /** Call it when there is something to do; returns at once. */
  soon(): void {
    this.wanted = true;
    if (this.closed) return;
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.running;
    clearTimeout(this.again);
  }

  private async run(): Promise<void> {
    while (this.wanted && !this.closed) {
      this.wanted = false;
      for (const chore of this.chores) await this.finish(chore);
    }
  }

  private async finish(chore: Chore): Promise<void> {
    try {
      while (!this.closed) {
        const done = await this.step(chore);
        if (done === 'elsewhere') this.lookAgain();
        if (done === 'elsewhere' || done === 0) return;
        await delay(pauseMs);
      }
    } catch (error) {
      if (!this.closed) this.log.warn({ err: error, chore: chore.name }, 'A chore failed; it will be tried again.');
    }
  }

  /** Only one node does chores at a time. */
  private step(chore: Chore): Promise<number | 'elsewhere'> {
    return this.database.quickTransaction(async (rows) =>
      (await tryLock(rows, advisoryLocks.chores)) ? chore.step(rows) : 'elsewhere',
    );
  }

  /** The other node may already have passed what was just left behind. */
  private lookAgain(): void {
    this.again ??= setTimeout(() => {
      this.again = undefined;
      this.soon();
    }, againMs).unref();
  }
}
