import { AppError, type ErrorCode } from '../contract/errors.ts';

/** An event that waited this long is refused: its client has given up long ago. */
const maxWaitMs = 30_000;
/** How many events may wait on one lane; their payloads are kept in memory. */
const maxPlaces = 1000;
/** Failures after which clients retry. */
const passing: ReadonlySet<ErrorCode> = new Set(['DATABASE_UNAVAILABLE', 'SERVER_BUSY']);

/** The place of an event that has arrived and is not done yet. */
export interface Place {
  /**
   * Resolves when everything before it is done, or lets it run alongside.
   * @returns whether that took time
   * @throws AppError SERVER_BUSY, or what something before it has failed with
   */
  turn(): boolean | Promise<boolean>;
  /** Lets the next one start: from here on something else keeps the order. */
  letNext(): void;
  /** @param failure its error, if it failed */
  leave(failure: AppError | null): void;
}

interface Entry {
  beside: boolean;
  runs: boolean;
  waiting: { go(): void; refuse(error: AppError): void } | null;
  failure: AppError | null;
}

const lanes = new WeakMap<object, Map<string, Lane>>();

/** For events that need not wait for anything. */
export const noPlace: Place = { turn: () => false, letNext() {}, leave() {} };

/**
 * What one socket sends about the same thing is handled in order of arrival, even if its client does not wait for the acks:
 * some events take longer than others, and a second edit, or the next piece of a streamed reply, would overtake the first.
 *
 * @param name of the lane
 * @param beside it may start when the one before it lets the next start; otherwise when all before it are done
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
    if (!lane.isEmpty) return;
    ofSocket.delete(name);
    // There are many sockets, most of which are silent for long.
    if (ofSocket.size === 0) lanes.delete(socket);
  };
  return { ...place, leave };
}

/** Events of one socket about one thing. */
class Lane {
  /** The running one that blocks those that wait. */
  private current: Entry | null = null;
  /** The oldest first. */
  private readonly waiting = new Set<Entry>();
  /** How many are running that let the next one start; they only block those that wait for all before them. */
  private passed = 0;

  get isEmpty(): boolean {
    return !this.current && this.passed === 0 && this.waiting.size === 0;
  }

  enter(beside: boolean): Place {
    const isFull = this.waiting.size >= maxPlaces;
    const entry: Entry = { beside, runs: false, waiting: null, failure: isFull ? new AppError('SERVER_BUSY') : null };
    this.waiting.add(entry);
    this.goOn();
    return {
      turn: () => turnOf(entry),
      letNext: () => this.pass(entry),
      leave: (failure) => this.leave(entry, failure),
    };
  }

  private leave(entry: Entry, failure: AppError | null): void {
    // The client will retry it: what waits behind it would overtake it, so it is refused too.
    if (failure && passing.has(failure.code)) this.refuseBehind(entry, failure);
    this.waiting.delete(entry);
    if (this.current === entry) this.current = null;
    else if (entry.runs) this.passed--;
    this.goOn();
  }

  private refuseBehind(failed: Entry, error: AppError): void {
    let isBehind = failed.runs;
    for (const entry of this.waiting) {
      if (isBehind) {
        entry.failure ??= error;
        entry.waiting?.refuse(error);
      }
      isBehind ||= entry === failed;
    }
  }

  private pass(entry: Entry): void {
    if (this.current !== entry) return;
    this.current = null;
    this.passed++;
    this.goOn();
  }

  private goOn(): void {
    const [next] = this.waiting;
    if (!next || this.current || (this.passed > 0 && !next.beside)) return;
    this.waiting.delete(next);
    this.current = next;
    next.runs = true;
    next.waiting?.go();
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
