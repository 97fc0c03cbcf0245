import { BatchedRead } from '../database/batched-read.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Caches } from './caches.ts';
import type { Chore } from './chores.ts';
import { deleteOld, type FoundInvalidation, readInvalidations } from './invalidation.table.ts';

/** Something that a node learns by polling the database. */
export interface Watch {
  /** Everything committed before this is known here (`performance.now()`). */
  readonly knownUntil: number;
  /** Polls now. @throws AppError if the database does not answer */
  poll(): Promise<unknown>;
}

/** A snapshot from before everything. */
const beginning = '1:1:';

const pollMs = 1000;
/** No change runs this long; a node that was frozen for half of it clears its caches instead of asking. */
const keptSeconds = 3600;
const gapMs = (keptSeconds * 1000) / 2;
const batch = 1000;

/**
 * Finds changes that were not announced to this node: by another node while Redis is away, by the operator's command
 * line, or by plain SQL. Each change to what caches hold is recorded in its own transaction (see the migration
 * `0069-invalidations`). One query a second, over the changes since the previous one, however much is cached here.
 */
export class InvalidationWatch implements Watch {
  private readonly database: Pick<Database, 'committedRows'>;
  private readonly log: Log;
  private readonly caches: Caches;
  private readonly changed: (cache: string, keys: string[]) => void;
  private readonly timer: NodeJS.Timeout;
  private snapshot = beginning;
  /** In ms since 1970, so that time in which the machine was suspended counts too. */
  private lastPoll = Date.now();
  private lastKnown = performance.now();
  /** A query that hangs does not hold up the next one. */
  private readonly polls = new BatchedRead<never>(() => this.pollNow());

  /** @param changed is called with the changed keys, once they have been dropped here */
  constructor(
    database: Pick<Database, 'committedRows'>,
    caches: Caches,
    log: Log,
    changed: (cache: string, keys: string[]) => void,
  ) {
    this.database = database;
    this.caches = caches;
    this.log = log;
    this.changed = changed;
    this.timer = setInterval(() => void this.poll().catch((error) => this.noteFailure(error)), pollMs);
  }

  close(): void {
    clearInterval(this.timer);
  }

  get knownUntil(): number {
    return this.lastKnown;
  }

  poll(): Promise<unknown> {
    return this.polls.read('all');
  }

  private async pollNow(): Promise<Map<string, never>> {
    const started = performance.now();
    const found = await readInvalidations(this.database.committedRows, this.snapshot);
    // A query that hung found nothing that the next one did not find.
    if (started > this.lastKnown) {
      this.act(found);
      this.lastKnown = started;
      this.caches.upToDate(started);
    }
    return new Map<string, never>();
  }

  private noteFailure(error: unknown): void {
    this.log.debug({ err: error }, 'Changes could not be polled; trying again.');
  }

  private act(found: FoundInvalidation[]): void {
    const snapshot = found[0]?.snapshot ?? beginning;
    const missed = !follows(snapshot, this.snapshot) || Date.now() - this.lastPoll > gapMs;
    this.lastPoll = Date.now();
    // Then the next query returns everything that is still recorded.
    this.snapshot = missed ? beginning : snapshot;
    if (missed) {
      this.caches.clearAll();
      return;
    }
    for (const { cache, keys } of found) {
      if (cache === null) continue;
      this.caches.dropHere(cache, keys);
      if (keys) this.report(cache, keys);
    }
  }

  /** A failure here must not keep the changes behind it from being dropped: no later query finds them. */
  private report(cache: string, keys: string[]): void {
    try {
      this.changed(cache, keys);
    } catch (error) {
      this.log.error({ err: error, cache }, 'What follows from a change could not be done.');
    }
  }
}

/** Whether a snapshot (as text) continues an earlier one: a standby that took over may be behind it. */
export function follows(snapshot: string, earlier: string): boolean {
  return lastOf(snapshot) >= lastOf(earlier);
}

/** The id of the first transaction that had not started. */
const lastOf = (snapshot: string) => BigInt(snapshot.split(':')[1] ?? 0);

/** Removes the records that all nodes have seen long since. */
export const forgetInvalidations: Chore = {
  name: 'forget invalidations',
  step: (rows) => deleteOld(rows, keptSeconds, batch),
};
