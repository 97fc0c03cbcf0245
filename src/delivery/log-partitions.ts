import { setTimeout as delay } from 'node:timers/promises';
import { advisoryLocks, tryLock } from '../database/advisory-locks.ts';
import type { Database, Rows } from '../database/database.ts';
import { isCheckViolation, isConflict } from '../database/failures.ts';
import { dueStep, type Step } from '../database/partitions/due.ts';
import * as logTable from '../database/partitions/log-table.ts';
import type { Range } from '../database/partitions/ranges.ts';
import { jittered } from '../infrastructure/jitter.ts';
import type { Log } from '../infrastructure/log.ts';
import type { DeliveryCounters } from './counters.ts';
import { raiseFloors } from './trimming.ts';

const everyMs = 60_000;
/** How soon a step is tried again for which a lock was held by others. */
const soonMs = 5000;
/** The pause between two steps, so that they take only a little of the database's time. */
const pauseMs = 20;

/** What is said of a step that was taken. */
const news: Partial<Record<Step['name'], string>> = {
  bind: 'Entries of the log are to become a partition; they are read for it in the background.',
  settle: 'Entries of the log have become a partition.',
  tidy: 'Entries of the log that were written at another time by the clock got the present one.',
  drop: 'Entries of the log that are no longer kept were dropped.',
};

interface Deps {
  database: Pick<Database, 'committedRows' | 'quickRows' | 'longTransaction'>;
  /** How long entries are kept. */
  keepDays: number;
  counters: DeliveryCounters;
  log: Log;
}

/**
 * Keeps the log partitioned by time, and drops what is older than it is kept (contract §10.4). Any node does the next step
 * that is due, and one that dies in it leaves it to the others. Nothing waits for it: entries without a partition are in
 * the default one.
 */
export class LogPartitions {
  private readonly deps: Deps;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private closed = false;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  start(): void {
    void this.keep();
  }

  /** Does what is due now, unless another node is at it. */
  keep(): Promise<void> {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** A step under way is left to PostgreSQL, which undoes it. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    clearTimeout(this.timer);
    let next = everyMs;
    try {
      while (!this.closed && (await this.step())) await delay(pauseMs);
    } catch (error) {
      if (isConflict(error)) next = soonMs;
      else if (!this.closed) {
        this.deps.log.warn({ err: error }, 'The partitions of the log could not be kept; it will be tried again.');
      }
    }
    if (!this.closed) this.timer = setTimeout(() => void this.keep(), jittered(next)).unref();
  }

  /** @returns whether it did something */
  private async step(): Promise<boolean> {
    const { database, log } = this.deps;
    if (!(await this.due(database.committedRows))) return false;
    const taken = await database.longTransaction(
      async (rows) => {
        if (!(await tryLock(rows, advisoryLocks.partitioning))) return undefined;
        const due = await this.due(rows);
        if (due) await this.take(rows, due);
        return due;
      },
      { snapshot: false },
    );
    const said = taken && news[taken.name];
    if (said) log.info({ step: taken }, said);
    if (taken?.name === 'drop') this.deps.counters.droppedPartitions++;
    return taken !== undefined;
  }

  private async due(rows: Rows): Promise<Step | undefined> {
    const table = await logTable.readLogTable(rows);
    this.deps.counters.logPartitions = table.partitions.length;
    this.deps.counters.isLogUnbounded = table.isDefaultFilled;
    return dueStep(table, this.deps.keepDays);
  }

  private async take(rows: Rows, step: Step): Promise<void> {
    if (step.name === 'bind') await logTable.bindDefault(rows, step.range);
    else if (step.name === 'check') await this.check(rows, step.range);
    else if (step.name === 'settle') await logTable.settleDefault(rows, step.range);
    else if (step.name === 'tidy') await logTable.moveStraysOfDefault(rows, undefined);
    else if (step.name === 'add') await logTable.addPartitions(rows, step.ranges);
    else await this.drop(rows, step.partition);
  }

  private async check(rows: Rows, range: Range): Promise<void> {
    await rows('SAVEPOINT before');
    try {
      await logTable.checkDefault(rows);
    } catch (error) {
      if (!isCheckViolation(error)) throw error;
      await rows('ROLLBACK TO before');
      await logTable.moveStraysOfDefault(rows, range);
    }
  }

  /**
   * Readers have to know of what is gone before it is. Nobody writes to the partition any more: the transaction of an entry
   * would have lasted for as long as the partition is over.
   */
  private async drop(rows: Rows, { name, from, to }: logTable.Partition): Promise<void> {
    for (let after: string | null = null; ; await delay(pauseMs)) {
      if (this.closed) throw new Error('This node is closing.');
      after = await raiseFloors(this.deps.database.quickRows, { from, to }, after);
      if (after === null) break;
    }
    await logTable.dropPartition(rows, name);
  }
}
