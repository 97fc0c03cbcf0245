import { BatchedRead } from './batched-read.ts';
import { Replica, ReplicaFailure, type ReplicaOptions } from './replica.ts';
import { type Position, type Standing, selectPosition, selectPrimary } from './standing.ts';
import type { Reader, Rows } from './transaction.ts';

type Target = Pick<Replica, 'name' | 'reads' | 'lagBytes' | 'lagSeconds' | 'isUsable'>;

/** Why the primary answered what a replica might have: none can be read from, none has caught up, or one failed. */
type Fallback = 'unavailable' | ReplicaFailure['reason'];

/**
 * The replicas of the database, for reads that need not be made where everything is written.
 *
 * A read that begins after a change was acknowledged, or its event received, must see that change, on whichever node and
 * by whichever way it was made. So the primary is asked for the position of its log after the read has begun, once for
 * all reads that begin at about the same time, and a replica answers only if it has replayed the log up to there. If none
 * gets there within a moment, the primary answers.
 */
export class Replicas {
  private readonly all: Replica[];
  private readonly positions: BatchedRead<Position>;
  private turn = 0;
  /** Reads that the primary answered in place of a replica, by the reason. */
  readonly fallbacks: Record<Fallback, number> = { unavailable: 0, lagging: 0, failed: 0 };

  /** @param primary runs a read on the primary */
  constructor(urls: string[], primary: Rows, options: Omit<ReplicaOptions, 'primary'>) {
    const standing = async () => ofOne(await primary<Standing & Position>(selectPrimary));
    this.all = urls.map((url) => new Replica(url, { ...options, primary: standing }));
    this.positions = new BatchedRead(async () => new Map([['', ofOne(await primary<Position>(selectPosition))]]));
  }

  get targets(): readonly Target[] {
    return this.all;
  }

  /**
   * Runs reads on a replica that has everything that was visible when they were asked for.
   * @returns null if none answered, and the primary is to be asked
   */
  async readCurrent<T>(work: (reader: Reader) => Promise<T>): Promise<{ result: T } | null> {
    if (!this.mayAsk()) return null;
    const position = await this.positions.read('').catch(() => undefined);
    const replica = position && (await this.choose(position));
    if (!replica) return this.fallBack(position ? 'lagging' : 'unavailable');
    return this.ask(replica, position, work);
  }

  /** Runs reads of rows that never change on any replica; null: as for `readCurrent`. */
  async readAny<T>(work: (reader: Reader) => Promise<T>): Promise<{ result: T } | null> {
    if (!this.mayAsk()) return null;
    const replica = this.next(this.all.filter((one) => one.isUsable));
    return replica ? this.ask(replica, null, work) : null;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.close()));
  }

  private mayAsk(): boolean {
    if (this.all.some((replica) => replica.isUsable)) return true;
    if (this.all.length > 0) this.fallBack('unavailable');
    return false;
  }

  /** One that has everything up to a position, by turns; else the first to get there. */
  private async choose(position: Position): Promise<Replica | undefined> {
    const usable = this.all.filter((replica) => replica.isUsable);
    const ready = this.next(usable.filter((replica) => replica.has(position)));
    if (ready || usable.length === 0) return ready;
    const reached = usable.map(async (replica) => {
      if (await replica.reaches(position)) return replica;
      throw new ReplicaFailure('lagging');
    });
    return Promise.any(reached).catch(() => undefined);
  }

  private next(among: Replica[]): Replica | undefined {
    return among[this.turn++ % among.length];
  }

  private async ask<T>(
    replica: Replica,
    position: Position | null,
    work: (reader: Reader) => Promise<T>,
  ): Promise<{ result: T } | null> {
    try {
      return { result: await replica.read(position, work) };
    } catch (error) {
      if (error instanceof ReplicaFailure) return this.fallBack(error.reason);
      throw error;
    }
  }

  private fallBack(reason: Fallback): null {
    this.fallbacks[reason]++;
    return null;
  }
}

function ofOne<T>([row]: T[]): T {
  if (row === undefined) throw new Error('The primary did not say where it is.');
  return row;
}
