import type { Operation, Operations } from '../cluster/operations.ts';
import { AppError } from '../contract/errors.ts';
import type { Room } from '../contract/rooms.ts';
import type { Database } from '../database/database.ts';
import { isConflict, isDisconnected, isLockTimeout } from '../database/failures.ts';
import { Outage } from '../database/outage.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import type { Settings } from '../settings/settings.ts';
import { type Batch, BatchCommit, type Write, type WriterTable, type Written } from './batch.ts';
import type { Delivery } from './delivery.ts';

interface Job<Row, Result> {
  write: Write<Row, Result>;
  /** The operation it is part of, whose access checks must hold until it is committed. */
  operation: Operation | undefined;
  size: number;
  deadline: number;
  resolve: (written: Written<Result>) => void;
  reject: (error: unknown) => void;
}

const expiryCheckMs = 250;
/** Attempts in all when another transaction wins a conflict. */
const maxAttempts = 4;
/** Memory of a queued write beside its text. */
const overheadBytes = 512;

interface Deps<Row, Result> {
  database: Database;
  delivery: Delivery;
  table: WriterTable<Row, Result>;
  settings: Settings['delivery'];
  log: Log;
  tracing: Tracing;
  operations: Operations;
}

/**
 * Group commit: writes that arrive while one batch is being committed form the next one, with everything else that is
 * read in the same turn of the event loop. A single write is committed at once; under load batches form by themselves,
 * and each costs one transaction.
 *
 * Writes are acknowledged after the commit, in order per room. If a connection breaks, the batch is sent again on
 * another one, and finds there what had been committed all the same. A write that misses its deadline fails with
 * DATABASE_UNAVAILABLE; the queue is bounded in number and bytes. A room whose log is held by someone else, say a node
 * that froze inside a change, does not block the others.
 */
export class Writer<Row, Result> {
  private readonly commit: BatchCommit<Row, Result>;
  private readonly deps: Deps<Row, Result>;
  private queue: Job<Row, Result>[] = [];
  private queuedBytes = 0;
  private running = false;
  /** Jobs set aside for rooms whose logs someone holds. Later jobs for these rooms stay in the queue until those are written. */
  private readonly held = new Map<Room, Job<Row, Result>[]>();
  private waiting = false;
  private readonly outage = new Outage();
  private readonly expiry: NodeJS.Timeout;

  constructor(deps: Deps<Row, Result>) {
    this.commit = new BatchCommit(deps.database, deps.table);
    this.deps = deps;
    this.expiry = setInterval(() => this.expire(), expiryCheckMs);
    this.expiry.unref();
  }

  /**
   * @param queued called once it has its place, before anything submitted later; not called if it is refused
   * @throws AppError DATABASE_UNAVAILABLE, SERVER_BUSY when the queue is full, ACCESS_CHANGED when its sender lost access
   *   meanwhile, or what the table throws
   */
  submit(write: Write<Row, Result>, queued?: () => void): Promise<Written<Result>> {
    const { queueLength, queueBytes, sendTimeoutMs } = this.deps.settings;
    const size = overheadBytes + write.json.length * 2;
    if (this.queue.length >= queueLength || this.queuedBytes + size > queueBytes) {
      this.deps.delivery.counters.failedSends++;
      return Promise.reject(new AppError('SERVER_BUSY'));
    }
    return new Promise((resolve, reject) => {
      const operation = this.deps.operations.current;
      this.queue.push({ write, operation, size, deadline: performance.now() + sendTimeoutMs, resolve, reject });
      this.queuedBytes += size;
      queued?.();
      this.start();
    });
  }

  get queued(): number {
    return this.queue.length;
  }

  close(): void {
    clearInterval(this.expiry);
  }

  private start(): void {
    if (this.running) return;
    this.running = true;
    setImmediate(() => void this.drain());
  }

  private async drain(): Promise<void> {
    for (let jobs = this.next(); jobs.length > 0; jobs = this.next()) await this.write(jobs);
    this.running = false;
  }

  private next(): Job<Row, Result>[] {
    const jobs = this.held.size === 0 ? this.queue.splice(0, this.deps.settings.batchSize) : this.nextFree();
    for (const job of jobs) this.queuedBytes -= job.size;
    return jobs;
  }

  private nextFree(): Job<Row, Result>[] {
    const jobs = this.queue.filter(({ write }) => !this.held.has(write.room)).slice(0, this.deps.settings.batchSize);
    const taken = new Set(jobs);
    this.queue = this.queue.filter((job) => !taken.has(job));
    return jobs;
  }

  /**
   * Writes a batch, answers its callers and emits its events. One write that fails must not fail its neighbours: then
   * each is tried on its own.
   * @returns false if some of it was set aside
   */
  private async write(
    jobs: Job<Row, Result>[],
    attempt = 1,
    deadline = performance.now() + this.deps.settings.sendTimeoutMs,
  ): Promise<boolean> {
    if (jobs.some(isDoubtful)) return this.writeAllowed(jobs, attempt, deadline);
    const ended = this.deps.operations.beginCommit();
    let batch: Batch<Row, Result>;
    try {
      const writes = jobs.map(({ write }) => write);
      batch = await this.deps.tracing.span({ name: 'write batch', kind: 'internal', alone: true }, (span) => {
        span.set('parley.batch.size', writes.length);
        return withDeadline(this.commit.run(writes).finally(ended), deadline - performance.now());
      });
    } catch (error) {
      if (isLockTimeout(error)) return this.setAside(jobs, error);
      if (isConflict(error) && attempt < maxAttempts) return this.write(jobs, attempt + 1, deadline);
      if (isDisconnected(error) && (await this.outage.mayReconnect())) return this.write(jobs, attempt, deadline);
      if (jobs.length > 1 && !(error instanceof AppError)) await this.writeOneByOne(jobs);
      else for (const job of jobs) this.fail(job, error);
      return true;
    }
    this.outage.end();
    const { entries, outcomes } = batch;
    this.safely(() => this.deps.delivery.publish(entries));
    this.answer(jobs, outcomes);
    // At the end of this turn: by then PostgreSQL works on the next batch, and the answered senders send again.
    setImmediate(() => this.safely(() => this.deps.delivery.emitHere(entries)));
    return true;
  }

  /** Writes those whose senders have not lost access meanwhile; the others fail. */
  private async writeAllowed(jobs: Job<Row, Result>[], attempt: number, deadline: number): Promise<boolean> {
    const left = deadline - performance.now();
    const checks = await Promise.allSettled(
      jobs.map(({ operation }) => operation && withDeadline(operation.check(), left)),
    );
    for (const [index, check] of checks.entries()) {
      const job = jobs[index];
      if (job && check.status === 'rejected') this.fail(job, check.reason);
    }
    const allowed = jobs.filter((_, index) => checks[index]?.status === 'fulfilled');
    return allowed.length === 0 || this.write(allowed, attempt, deadline);
  }

  /**
   * Writes the jobs that can be written now. The rest waits until its logs are released, without blocking the others.
   * @returns false if something waits
   */
  private async setAside(jobs: Job<Row, Result>[], reason: unknown): Promise<boolean> {
    const due = this.withoutLate(jobs, reason);
    const free = await this.commit.unlocked(due.map(({ write }) => write)).catch(() => new Set<Room>());
    const rest = due.filter(({ write }) => free.has(write.room));
    for (const job of due) if (!free.has(job.write.room)) this.hold(job);
    void this.writeHeld();
    const isDone = rest.length === 0 || (await this.write(rest));
    return isDone && rest.length === due.length;
  }

  private hold(job: Job<Row, Result>): void {
    const { room } = job.write;
    this.held.set(room, [...(this.held.get(room) ?? []), job]);
  }

  /** One room at a time: waiting writes must not take up all connections. */
  private async writeHeld(): Promise<void> {
    if (this.waiting) return;
    this.waiting = true;
    for (let [next] = this.held; next; [next] = this.held) {
      const [room, jobs] = next;
      this.held.set(room, []);
      if (jobs.length > 0) await this.write(jobs);
      const again = this.held.get(room) ?? [];
      this.held.delete(room);
      if (again.length > 0) this.held.set(room, again);
      else this.start();
    }
    this.waiting = false;
  }

  private async writeOneByOne(jobs: Job<Row, Result>[]): Promise<void> {
    const aside = new Set<Room>();
    for (const job of jobs) {
      const { room } = job.write;
      if (job.deadline < performance.now()) this.fail(job, new AppError('DATABASE_UNAVAILABLE'));
      // A write must not overtake an earlier one of its room that waits.
      else if (aside.has(room)) this.hold(job);
      else if (!(await this.write([job]))) aside.add(room);
    }
    void this.writeHeld();
  }

  private answer(jobs: Job<Row, Result>[], outcomes: Batch<Row, Result>['outcomes']): void {
    const { counters } = this.deps.delivery;
    counters.batches++;
    counters.batchedSends += jobs.length;
    counters.onBatch(jobs.length);
    const now = performance.now();
    for (const job of jobs) {
      const written = outcomes.get(job.write);
      if (!written) {
        this.fail(job, new AppError('CHANNEL_NOT_FOUND'));
        continue;
      }
      counters.onSend(now - job.deadline + this.deps.settings.sendTimeoutMs);
      job.resolve(written);
    }
  }

  private safely(emit: () => void): void {
    try {
      emit();
    } catch (error) {
      // The events are in the log; the sweep delivers them from there.
      this.deps.log.error({ err: error }, 'Events could not be emitted.');
    }
  }

  private fail(job: Job<Row, Result>, error: unknown): void {
    this.deps.delivery.counters.failedSends++;
    job.reject(isConflict(error) ? new AppError('SERVER_BUSY', { cause: error }) : error);
  }

  private expire(): void {
    const reason = new AppError('DATABASE_UNAVAILABLE');
    for (const [room, jobs] of this.held) this.held.set(room, this.withoutLate(jobs, reason));
    const now = performance.now();
    if ((this.queue[0]?.deadline ?? now) >= now) return;
    for (const job of this.queue) if (job.deadline < now) this.queuedBytes -= job.size;
    this.queue = this.withoutLate(this.queue, reason, now);
  }

  /** Fails the jobs past their deadline. @returns the others */
  private withoutLate(jobs: Job<Row, Result>[], reason: unknown, now = performance.now()): Job<Row, Result>[] {
    for (const job of jobs) if (job.deadline < now) this.fail(job, reason);
    return jobs.filter((job) => job.deadline >= now);
  }
}

/** Whether the access of its sender may have changed since it was checked. */
const isDoubtful = ({ operation }: { operation: Operation | undefined }) => operation?.isCurrent === false;

/**
 * Gives up on a database that hangs. The transaction may still commit later, unacknowledged: the sweep then emits its
 * events, and a sender who retries with the same nonce finds it.
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
