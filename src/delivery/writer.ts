import type { Database, Rows } from '../database/database.ts';
import { isConflict } from '../database/failures.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings.ts';
import type { Delivery } from './delivery.ts';
import type { Draft, LogEntry, Room } from './entry.ts';
import { streamId } from './entry.ts';
import { lockStreams, number, write } from './log.ts';

/** The table that a writer fills beside the log. */
export interface WriterTable<Row, Result> {
  /** Results of earlier writes with the same once-keys as these rows, by their position in `rows`. */
  findRepeats(rows: Rows, items: Row[]): Promise<Map<number, Result>>;
  insert(rows: Rows, items: { row: Row; seq: number }[]): Promise<void>;
}

/** One thing to write: a row and the event that tells of it. */
export interface Write<Row, Result> {
  room: Room;
  row: Row;
  /** The same key in the same room is written once only; null: every time. */
  onceKey: string | null;
  /** Roughly how many bytes it keeps in memory. */
  size: number;
  /** The event, and what the caller gets, once the number is known. */
  complete(seq: number): { draft: Draft; result: Result };
}

export interface Written<Result> {
  result: Result;
  /** It had been written before; nothing was done now. */
  repeated: boolean;
}

interface Job<Row, Result> {
  write: Write<Row, Result>;
  deadline: number;
  resolve: (written: Written<Result>) => void;
  reject: (error: unknown) => void;
}

const expiryCheckMs = 250;
/** Tries after a deadlock, which another transaction has won. */
const maxAttempts = 4;

/**
 * Group commit: what is sent while one batch is being committed goes into the next one. A single write goes at once;
 * under load batches form by themselves, and each costs one transaction.
 *
 * Writes are acknowledged after the commit, in order per room. What cannot be written in time fails with
 * DATABASE_UNAVAILABLE; the queue is bounded in number and bytes.
 */
export class Writer<Row, Result> {
  private readonly database: Database;
  private readonly delivery: Delivery;
  private readonly table: WriterTable<Row, Result>;
  private readonly settings: Settings['delivery'];
  private readonly log: Log;
  private queue: Job<Row, Result>[] = [];
  private queuedBytes = 0;
  private running = false;
  private readonly expiry: NodeJS.Timeout;

  constructor(
    database: Database,
    delivery: Delivery,
    table: WriterTable<Row, Result>,
    settings: Settings['delivery'],
    log: Log,
  ) {
    this.database = database;
    this.delivery = delivery;
    this.table = table;
    this.settings = settings;
    this.log = log;
    this.expiry = setInterval(() => this.expire(), expiryCheckMs);
    this.expiry.unref();
  }

  /** @throws AppError DATABASE_UNAVAILABLE, SERVER_BUSY when the queue is full, or what the table throws */
  submit(write: Write<Row, Result>): Promise<Written<Result>> {
    const { queueLength, queueBytes, sendTimeoutMs } = this.settings;
    if (this.queue.length >= queueLength || this.queuedBytes + write.size > queueBytes) {
      return Promise.reject(new AppError('SERVER_BUSY'));
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ write, deadline: Date.now() + sendTimeoutMs, resolve, reject });
      this.queuedBytes += write.size;
      if (!this.running) void this.drain();
    });
  }

  get queued(): number {
    return this.queue.length;
  }

  close(): void {
    clearInterval(this.expiry);
  }

  private async drain(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      const jobs = this.queue.splice(0, this.settings.batchSize);
      for (const job of jobs) this.queuedBytes -= job.write.size;
      await this.commitOrSplit(jobs);
    }
    this.running = false;
  }

  /** One write that cannot be done must not fail its neighbours: then each is tried alone. */
  private async commitOrSplit(jobs: Job<Row, Result>[], attempt = 1): Promise<void> {
    try {
      await this.commit(jobs);
    } catch (error) {
      const away = error instanceof AppError;
      if (isConflict(error) && attempt < maxAttempts) await this.commitOrSplit(jobs, attempt + 1);
      else if (jobs.length === 1 || away) for (const job of jobs) job.reject(error);
      else for (const job of jobs) await this.commitOrSplit([job]);
    }
  }

  private async commit(jobs: Job<Row, Result>[]): Promise<void> {
    const batch = await withDeadline(
      this.database.quickTransaction((rows) => this.writeBatch(rows, jobs)),
      this.settings.sendTimeoutMs,
    );
    this.delivery.counters.batches++;
    this.delivery.counters.batchedSends += jobs.length;
    this.delivery.counters.onBatch(jobs.length);
    this.delivery.committed(batch.entries);
    for (const [job, written] of batch.outcomes) job.resolve(written);
    if (batch.missing.length > 0) this.log.debug({ count: batch.missing.length }, 'Writes to rooms that are gone.');
    for (const job of batch.missing) job.reject(new AppError('CHANNEL_NOT_FOUND'));
  }

  private async writeBatch(rows: Rows, jobs: Job<Row, Result>[]): Promise<Batch<Row, Result>> {
    // From here on no one else appends to these rooms, so what is looked up next cannot change until the commit.
    const heads = await lockStreams(
      rows,
      jobs.map((job) => job.write.room),
    );
    const missing = jobs.filter((job) => !heads.has(streamId(job.write.room)));
    const present = missing.length > 0 ? jobs.filter((job) => heads.has(streamId(job.write.room))) : jobs;
    const repeats = await this.repeats(rows, present);
    const batch: Batch<Row, Result> = { entries: [], outcomes: new Map(), missing };
    const fresh = this.complete(present, repeats, heads, batch);
    if (fresh.length > 0) {
      // Side by side, so that they travel to PostgreSQL together.
      const results = await Promise.allSettled([this.table.insert(rows, fresh), write(rows, batch.entries, heads)]);
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    }
    return batch;
  }

  /** Numbers what is new and fills the outcomes. @returns the rows to insert */
  private complete(
    jobs: Job<Row, Result>[],
    repeats: Map<Job<Row, Result>, Result>,
    heads: Map<string, number>,
    batch: Batch<Row, Result>,
  ): { row: Row; seq: number }[] {
    const fresh: { row: Row; seq: number }[] = [];
    const first = new Map<string, Result>();
    for (const job of jobs) {
      const { room, onceKey, row, complete } = job.write;
      const key = onceKey === null ? null : `${room} ${onceKey}`;
      const earlier = repeats.get(job) ?? (key === null ? undefined : first.get(key));
      if (earlier !== undefined) {
        batch.outcomes.set(job, { result: earlier, repeated: true });
        continue;
      }
      const seq = (heads.get(streamId(room)) ?? 0) + 1;
      const { draft, result } = complete(seq);
      batch.entries.push(...number([draft], heads));
      batch.outcomes.set(job, { result, repeated: false });
      fresh.push({ row, seq });
      if (key !== null) first.set(key, result);
    }
    return fresh;
  }

  private async repeats(rows: Rows, jobs: Job<Row, Result>[]): Promise<Map<Job<Row, Result>, Result>> {
    const keyed = jobs.filter((job) => job.write.onceKey !== null);
    if (keyed.length === 0) return new Map();
    const found = await this.table.findRepeats(
      rows,
      keyed.map((job) => job.write.row),
    );
    const repeats = new Map<Job<Row, Result>, Result>();
    for (const [index, result] of found) {
      const job = keyed[index];
      if (job) repeats.set(job, result);
    }
    return repeats;
  }

  private expire(): void {
    const now = Date.now();
    if ((this.queue[0]?.deadline ?? now) >= now) return;
    const late = this.queue.filter((job) => job.deadline < now);
    this.queue = this.queue.filter((job) => job.deadline >= now);
    for (const job of late) {
      this.queuedBytes -= job.write.size;
      job.reject(new AppError('DATABASE_UNAVAILABLE'));
    }
  }
}

interface Batch<Row, Result> {
  entries: LogEntry[];
  outcomes: Map<Job<Row, Result>, Written<Result>>;
  missing: Job<Row, Result>[];
}

/**
 * Gives up on a database that hangs. The transaction may still be committed later, unacknowledged: the sweep gives
 * its events out then, and a sender who tries again with the same nonce finds it.
 */
async function withDeadline<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('DATABASE_UNAVAILABLE')), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
