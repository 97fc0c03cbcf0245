import type { Operations } from '../cluster/operations.ts';
import { AppError } from '../contract/errors.ts';
import type { Database } from '../database/database.ts';
import { isConflict, isDisconnected, isLockTimeout } from '../database/failures.ts';
import { Outage, withDeadline } from '../database/outage.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import type { Settings } from '../settings/settings.ts';
import { type Batch, BatchCommit, type Write, type WriterTable, type Written } from './batch.ts';
import type { Delivery } from './delivery.ts';
import { byDeadline, type Job, type Source, WriteQueue } from './write-queue.ts';

/*
 * The states of a batch. Each is a method of the writer, which returns the next one; a commit that succeeds answers at
 * once, so that the answered senders send again before the next batch is taken.
 *
 *      ┌──────────────────────────────────────────────┐
 *      ▼                                              │
 *     take ───► check ───► commit ───────► answer ────┤
 *      │          ▲          │                        │
 *      ▼          ├──────────┼─ repeat      another transaction won a conflict; 4 attempts
 *     end         ├──────────┼─ reconnect   the connection broke; for 2 s, then as below
 *                 ├──────────┼─ setAside    a log stays locked: its writes wait, the others go on
 *                 │          ├─ oneByOne ─────────────┤  anything else, and there are several writes
 *                 │          └─ fail ─────────────────┘  anything else
 *                 └ again for those who may go on, where the access of a sender may have changed since
 *
 * Batches go through them in two lanes. The main lane takes them from the queue, the held lane from the rooms that were
 * set aside, one room at a time: writes that wait for a lock must not occupy all connections.
 */
type State = 'take' | 'check' | 'commit' | 'repeat' | 'reconnect' | 'setAside' | 'oneByOne' | 'fail' | 'end';

/** A lane, and the batch in it. */
interface Lane<Row, Result> {
  readonly source: Source<Row, Result>;
  isRunning: boolean;
  jobs: Job<Row, Result>[];
  /** The writes of a failed batch whose turn is still to come, one by one. */
  rest: Job<Row, Result>[];
  attempt: number;
  deadline: number;
  /** Why the last attempt failed. */
  error: unknown;
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
  private readonly commits: BatchCommit<Row, Result>;
  private readonly deps: Deps<Row, Result>;
  private readonly queue: WriteQueue<Row, Result>;
  private readonly mainLane: Lane<Row, Result>;
  private readonly heldLane: Lane<Row, Result>;
  private readonly outage = new Outage();
  private readonly expiry: NodeJS.Timeout;

  constructor(deps: Deps<Row, Result>) {
    this.commits = new BatchCommit(deps.database, deps.table);
    this.deps = deps;
    this.queue = new WriteQueue(deps.settings);
    this.mainLane = this.laneFrom(this.queue);
    this.heldLane = this.laneFrom(this.queue.held);
    this.expiry = setInterval(() => this.expire(), expiryCheckMs);
    this.expiry.unref();
  }

  /**
   * @param queued called once it has its place, before anything submitted later; not called if it is refused
   * @throws AppError DATABASE_UNAVAILABLE, SERVER_BUSY when the queue is full, ACCESS_CHANGED when its sender lost access
   *   meanwhile, or what the table throws
   */
  submit(write: Write<Row, Result>, queued?: () => void): Promise<Written<Result>> {
    const size = overheadBytes + write.json.length * 2;
    if (!this.queue.hasSpaceFor(size)) {
      this.deps.delivery.counters.failedSends++;
      return Promise.reject(new AppError('SERVER_BUSY'));
    }
    return new Promise((resolve, reject) => {
      const operation = this.deps.operations.current;
      const deadline = performance.now() + this.deps.settings.sendTimeoutMs;
      this.queue.add({ write, operation, size, deadline, resolve, reject });
      queued?.();
      this.start(this.mainLane);
    });
  }

  get queued(): number {
    return this.queue.length;
  }

  close(): void {
    clearInterval(this.expiry);
  }

  private laneFrom(source: Source<Row, Result>): Lane<Row, Result> {
    return { source, isRunning: false, jobs: [], rest: [], attempt: 1, deadline: 0, error: undefined };
  }

  private start(lane: Lane<Row, Result>): void {
    if (lane.isRunning) return;
    lane.isRunning = true;
    setImmediate(() => void this.run(lane));
  }

  private async run(lane: Lane<Row, Result>): Promise<void> {
    for (let state: State = 'take'; state !== 'end'; ) {
      const next: State | Promise<State> = this[state](lane);
      // States that do not wait cost no turn of the microtasks.
      state = typeof next === 'string' ? next : await next;
    }
    lane.isRunning = false;
  }

  /** Takes the next batch: from the source, or the next write of a batch that goes one by one. */
  private take(lane: Lane<Row, Result>): State {
    lane.jobs = this.nextOfRest(lane);
    if (lane.jobs.length === 0) lane.jobs = lane.source.take();
    this.begin(lane);
    this.startBoth();
    return lane.jobs.length > 0 ? 'check' : 'end';
  }

  /** Fails the writes whose senders have lost access meanwhile. */
  private check(lane: Lane<Row, Result>): State | Promise<State> {
    return lane.jobs.some(({ operation }) => operation?.isCurrent === false) ? this.checkAgain(lane) : 'commit';
  }

  private async checkAgain(lane: Lane<Row, Result>): Promise<State> {
    const { jobs } = lane;
    const left = lane.deadline - performance.now();
    const checks = await Promise.allSettled(
      jobs.map(({ operation }) => operation && withDeadline(operation.check(), left)),
    );
    lane.jobs = jobs.filter((job, index) => {
      const check = checks[index];
      if (check?.status === 'rejected') this.reject(job, check.reason);
      return check?.status === 'fulfilled';
    });
    // What was checked may have changed during the checks.
    return lane.jobs.length > 0 ? 'check' : 'take';
  }

  private async commit(lane: Lane<Row, Result>): Promise<State> {
    const ended = this.deps.operations.beginCommit();
    let batch: Batch<Row, Result>;
    try {
      const writes = lane.jobs.map(({ write }) => write);
      batch = await this.deps.tracing.span({ name: 'write batch', kind: 'internal', alone: true }, (span) => {
        span.set('parley.batch.size', writes.length);
        return withDeadline(this.commits.run(writes).finally(ended), lane.deadline - performance.now());
      });
    } catch (error) {
      lane.error = error;
      if (isLockTimeout(error)) return 'setAside';
      if (isConflict(error) && lane.attempt < maxAttempts) return 'repeat';
      return isDisconnected(error) ? 'reconnect' : this.afterFailure(lane);
    }
    this.answer(lane.jobs, batch);
    return 'take';
  }

  /** Answers the callers of a committed batch, and emits its events. */
  private answer(jobs: Job<Row, Result>[], { entries, outcomes }: Batch<Row, Result>): void {
    this.outage.end();
    this.safely(() => this.deps.delivery.publish(entries));
    this.resolve(jobs, outcomes);
    // At the end of this turn: by then PostgreSQL works on the next batch, and the answered senders send again.
    setImmediate(() => this.safely(() => this.deps.delivery.emitHere(entries)));
  }

  private repeat(lane: Lane<Row, Result>): State {
    lane.attempt++;
    return 'check';
  }

  private async reconnect(lane: Lane<Row, Result>): Promise<State> {
    return (await this.outage.mayReconnect()) ? 'check' : this.afterFailure(lane);
  }

  /** Writes whose logs are locked wait, without blocking the others of the batch. */
  private async setAside(lane: Lane<Row, Result>): Promise<State> {
    const { late, due } = byDeadline(lane.jobs, performance.now());
    for (const job of late) this.reject(job, lane.error);
    const free = await this.commits.unlocked(due.map(({ write }) => write)).catch(() => new Set());
    for (const job of due) if (!free.has(job.write.room)) lane.source.setAside(job);
    this.startBoth();
    lane.jobs = due.filter(({ write }) => free.has(write.room));
    this.begin(lane);
    return lane.jobs.length > 0 ? 'check' : 'take';
  }

  /** One write that fails must not fail its neighbours. */
  private oneByOne(lane: Lane<Row, Result>): State {
    lane.rest = lane.jobs;
    return 'take';
  }

  private fail(lane: Lane<Row, Result>): State {
    for (const job of lane.jobs) this.reject(job, lane.error);
    return 'take';
  }

  private afterFailure({ jobs, error }: Lane<Row, Result>): State {
    return jobs.length > 1 && !(error instanceof AppError) ? 'oneByOne' : 'fail';
  }

  private begin(lane: Lane<Row, Result>): void {
    lane.attempt = 1;
    lane.deadline = performance.now() + this.deps.settings.sendTimeoutMs;
  }

  /** Either lane may have left something to the other: a room was set aside, or is free again. */
  private startBoth(): void {
    this.start(this.mainLane);
    if (this.queue.held.size > 0) this.start(this.heldLane);
  }

  private nextOfRest({ rest, source }: Lane<Row, Result>): Job<Row, Result>[] {
    for (let job = rest.shift(); job; job = rest.shift()) {
      if (job.deadline < performance.now()) this.reject(job, new AppError('DATABASE_UNAVAILABLE'));
      else if (source.mustWait(job.write.room)) source.setAside(job);
      else return [job];
    }
    return rest;
  }

  private resolve(jobs: Job<Row, Result>[], outcomes: Batch<Row, Result>['outcomes']): void {
    const { counters } = this.deps.delivery;
    counters.batches++;
    counters.batchedSends += jobs.length;
    counters.onBatch(jobs.length);
    const now = performance.now();
    for (const job of jobs) {
      const written = outcomes.get(job.write);
      if (!written) {
        this.reject(job, new AppError('CHANNEL_NOT_FOUND'));
        continue;
      }
      counters.onSend(now - job.deadline + this.deps.settings.sendTimeoutMs);
      job.resolve(written);
    }
  }

  private reject(job: Job<Row, Result>, error: unknown): void {
    this.deps.delivery.counters.failedSends++;
    const known = isConflict(error) ? new AppError('SERVER_BUSY', { cause: error }) : error;
    // SERVER_BUSY says that it was not written.
    const isUnsure = known instanceof AppError && known.code === 'SERVER_BUSY' && this.commits.isUncertain(job.write);
    job.reject(isUnsure ? new AppError('DATABASE_UNAVAILABLE', { cause: known.cause }) : known);
  }

  private safely(emit: () => void): void {
    try {
      emit();
    } catch (error) {
      // The events are in the log; the sweep delivers them from there.
      this.deps.log.error({ err: error }, 'Events could not be emitted.');
    }
  }

  private expire(): void {
    const late = this.queue.removeLate(performance.now());
    for (const job of late) this.reject(job, new AppError('DATABASE_UNAVAILABLE'));
  }
}
