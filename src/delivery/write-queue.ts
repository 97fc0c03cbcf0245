import type { Operation } from '../cluster/operations.ts';
import type { Room } from '../contract/rooms.ts';
import type { Settings } from '../settings/settings.ts';
import type { Write, Written } from './batch.ts';

/** A write that waits for its batch, and whom to answer. */
export interface Job<Row, Result> {
  write: Write<Row, Result>;
  /** The operation it is part of, whose access checks must hold until it is committed. */
  operation: Operation | undefined;
  size: number;
  deadline: number;
  resolve: (written: Written<Result>) => void;
  reject: (error: unknown) => void;
}

/** Where batches come from, and where those of their writes go that cannot be written yet. */
export interface Source<Row, Result> {
  /** The next batch; empty: there is none. */
  take(): Job<Row, Result>[];
  /** Whether earlier writes of this room were set aside, so that later ones must not overtake them. */
  mustWait(room: Room): boolean;
  setAside(job: Job<Row, Result>): void;
}

/** The jobs past their deadline, and the others. */
export function byDeadline<Row, Result>(jobs: Job<Row, Result>[], now: number) {
  const late: Job<Row, Result>[] = [];
  const due: Job<Row, Result>[] = [];
  for (const job of jobs) (job.deadline < now ? late : due).push(job);
  return { late, due };
}

/**
 * Rooms whose logs someone holds, with their writes. One room at a time is tried: its writes are a batch. Until all of
 * them are written it stays here, and its later writes in the queue.
 */
export class HeldRooms<Row, Result> implements Source<Row, Result> {
  private readonly rooms = new Map<Room, Job<Row, Result>[]>();
  private tried: Room | undefined;
  /** Writes of the room being tried whose log is still locked. */
  private again: Job<Row, Result>[] = [];

  get size(): number {
    return this.rooms.size;
  }

  has(room: Room): boolean {
    return this.rooms.has(room);
  }

  hold(job: Job<Row, Result>): void {
    const { room } = job.write;
    this.rooms.set(room, [...(this.rooms.get(room) ?? []), job]);
  }

  take(): Job<Row, Result>[] {
    for (;;) {
      if (this.tried) this.putBack(this.tried);
      const [next] = this.rooms;
      this.tried = next?.[0];
      if (!next) return [];
      const [room, jobs] = next;
      this.rooms.set(room, []);
      if (jobs.length > 0) return jobs;
    }
  }

  mustWait(): boolean {
    return this.again.length > 0;
  }

  setAside(job: Job<Row, Result>): void {
    this.again.push(job);
  }

  /** @returns the jobs past their deadline, which are removed */
  removeLate(now: number): Job<Row, Result>[] {
    return [...this.rooms].flatMap(([room, jobs]) => {
      const { late, due } = byDeadline(jobs, now);
      this.rooms.set(room, due);
      return late;
    });
  }

  /** What is left of the room goes before what was held since; the other rooms are tried first. */
  private putBack(room: Room): void {
    const left = [...this.again, ...(this.rooms.get(room) ?? [])];
    this.again = [];
    this.rooms.delete(room);
    if (left.length > 0) this.rooms.set(room, left);
  }
}

/** Writes in the order of their arrival, bounded in number and bytes. Those of held rooms are passed over. */
export class WriteQueue<Row, Result> implements Source<Row, Result> {
  readonly held = new HeldRooms<Row, Result>();
  private readonly settings: Settings['delivery'];
  private jobs: Job<Row, Result>[] = [];
  private bytes = 0;

  constructor(settings: Settings['delivery']) {
    this.settings = settings;
  }

  get length(): number {
    return this.jobs.length;
  }

  hasSpaceFor(size: number): boolean {
    return this.jobs.length < this.settings.queueLength && this.bytes + size <= this.settings.queueBytes;
  }

  add(job: Job<Row, Result>): void {
    this.jobs.push(job);
    this.bytes += job.size;
  }

  take(): Job<Row, Result>[] {
    const jobs = this.held.size === 0 ? this.jobs.splice(0, this.settings.batchSize) : this.takeFree();
    for (const job of jobs) this.bytes -= job.size;
    return jobs;
  }

  mustWait(room: Room): boolean {
    return this.held.has(room);
  }

  setAside(job: Job<Row, Result>): void {
    this.held.hold(job);
  }

  /** @returns the jobs past their deadline, which are removed, held ones too */
  removeLate(now: number): Job<Row, Result>[] {
    const ofHeld = this.held.removeLate(now);
    if ((this.jobs[0]?.deadline ?? now) >= now) return ofHeld;
    const { late, due } = byDeadline(this.jobs, now);
    this.jobs = due;
    for (const job of late) this.bytes -= job.size;
    return [...ofHeld, ...late];
  }

  private takeFree(): Job<Row, Result>[] {
    const jobs = this.jobs.filter(({ write }) => !this.held.has(write.room)).slice(0, this.settings.batchSize);
    const taken = new Set(jobs);
    this.jobs = this.jobs.filter((job) => !taken.has(job));
    return jobs;
  }
}
