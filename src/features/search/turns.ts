import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';

/** Searches of a node under way: each may keep a core of PostgreSQL busy, which everyone needs. */
const atOnce = 4;
/** Searches of one person that wait for each other, as when someone types. */
const inLine = 10;

/** Lets few searches run at once, and of one person one after the other. */
export class SearchTurns {
  private readonly lines = new Map<string, { length: number; last: Promise<unknown> }>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  /** @throws AppError RATE_LIMITED when too many of the same person wait already, and what `search` throws */
  async run<T>(userId: string, search: () => Promise<T>): Promise<T> {
    const line = this.lines.get(userId) ?? { length: 0, last: Promise.resolve() };
    if (line.length >= inLine) {
      throw new AppError('RATE_LIMITED', {
        message: 'You are searching already; wait for the answers.',
        retryAfter: 1,
      });
    }
    line.length++;
    this.lines.set(userId, line);
    const result = line.last.then(() => this.inTurn(search));
    line.last = result.catch(() => {});
    try {
      return await result;
    } finally {
      if (--line.length === 0) this.lines.delete(userId);
    }
  }

  private async inTurn<T>(search: () => Promise<T>): Promise<T> {
    if (this.running >= atOnce) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running++;
    try {
      return await search();
    } finally {
      // The place goes to the search that has waited longest.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

const sliceMs = 5;

/** Makes something of each, some milliseconds at a time: others get a turn of the event loop in between. */
export async function inSlices<T, R>(list: T[], make: (one: T) => R | Promise<R>): Promise<R[]> {
  const made: R[] = [];
  let began = performance.now();
  for (const one of list) {
    made.push(await make(one));
    if (performance.now() - began < sliceMs) continue;
    await turn();
    began = performance.now();
  }
  return made;
}
