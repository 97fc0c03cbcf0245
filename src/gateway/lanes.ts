import { AppError, type ErrorCode } from '../errors.ts';

/** Whoever waited for so long is turned away: its client has given up long ago. */
const maxWaitMs = 30_000;
/** So many events of one lane may wait at once; what they hold is kept in memory. */
const maxPlaces = 1000;
/** Failures after which the same is sent again. */
const passing: ReadonlySet<ErrorCode> = new Set(['DATABASE_UNAVAILABLE', 'SERVER_BUSY']);

/** An event that has come and is not done yet. */
export interface Place {
  /**
   * Resolves when everything before it is done.
   * @returns whether that took time
   * @throws AppError SERVER_BUSY, or what something before it has failed with
   */
  turn(): boolean | Promise<boolean>;
  /** @param failure what became of it, if it failed */
  leave(failure: AppError | null): void;
}

interface Entry {
  beside: boolean;
  runs: boolean;
  waiting: { go(): void; refuse(error: AppError): void } | null;
  failure: AppError | null;
}

const lanes = new WeakMap<object, Map<string, Lane>>();

/** Of what need not wait for anything. */
export const noPlace: Place = { turn: () => false, leave() {} };

/**
 * What one socket sends about the same thing is done in the order in which it came, also when its client does not wait for
 * the answers: it takes one longer than the other, and a second edit, or the next word of a reply, would overtake the
 * first.
 *
 * @param name of the lane
 * @param beside those that follow each other with this run side by side: they keep their order by themselves
 */
export function takePlace(socket: object, name: string, beside: boolean): Place {
  let ofSocket = lanes.get(socket);
  if (!ofSocket) {
    ofSocket = new Map();
    lanes.set(socket, ofSocket);
  }
  const known = ofSocket.get(name);
  const lane = known ?? new Lane();
  if (!known) ofSocket.set(name, lane);
  const place = lane.enter(beside);
  const leave = (failure: AppError | null) => {
    place.leave(failure);
    if (lane.isEmpty) ofSocket.delete(name);
  };
  return { turn: place.turn, leave };
}

/** Events of one socket about one thing, the oldest first: it always runs. */
class Lane {
  private readonly entries = new Set<Entry>();
  /** Of those that run beside no other. */
  private alone = 0;
  /** Of those that do not run yet. */
  private held = 0;

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  enter(beside: boolean): Place {
    const runs = this.entries.size === 0 || (beside && this.alone === 0);
    const isFull = !runs && this.held >= maxPlaces;
    const entry: Entry = { beside, runs, waiting: null, failure: isFull ? new AppError('SERVER_BUSY') : null };
    this.entries.add(entry);
    if (!beside) this.alone++;
    if (!runs) this.held++;
    return { turn: () => turnOf(entry), leave: (failure) => this.leave(entry, failure) };
  }

  private leave(entry: Entry, failure: AppError | null): void {
    // It will be sent again: what waits behind it would overtake it, and goes back with it.
    if (failure && passing.has(failure.code)) this.refuseBehind(entry, failure);
    this.entries.delete(entry);
    if (!entry.beside) this.alone--;
    if (!entry.runs) this.held--;
    if (this.held > 0) this.goOn();
  }

  private refuseBehind(failed: Entry, error: AppError): void {
    let isBehind = false;
    for (const entry of this.entries) {
      if (entry === failed) isBehind = true;
      else if (isBehind && !entry.runs) {
        entry.failure ??= error;
        entry.waiting?.refuse(error);
      }
    }
  }

  /** Lets those run whose turn it is: the first, or the first few if they run beside each other. */
  private goOn(): void {
    let before: Entry | undefined;
    for (const entry of this.entries) {
      if (before && !(before.beside && entry.beside)) return;
      before = entry;
      if (entry.runs) continue;
      entry.runs = true;
      this.held--;
      entry.waiting?.go();
    }
  }
}

function turnOf(entry: Entry): boolean | Promise<boolean> {
  if (entry.failure) throw entry.failure;
  return entry.runs ? false : waitFor(entry);
}

async function waitFor(entry: Entry): Promise<boolean> {
  const cameAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    entry.waiting = { go: resolve, refuse: reject };
  });
  if (performance.now() - cameAt > maxWaitMs) throw new AppError('SERVER_BUSY');
  return true;
}
