import type { Rows } from '../../database/database.ts';
import { fact, timeDigits } from './document.ts';
import { findNewest, findSome, nextBefore, type Sought } from './find.table.ts';

/** How many messages one look takes out of the index. */
const look = 300;
/** So many stretches of time at most are looked at together. */
const widest = 32;
/** The last resort, within some hours. */
const all = 1_000_000;
/** Looks of one search; each takes a few milliseconds. */
const mostLooks = 200;
const usualLimitMs = 2000;

/** Some stretches of time in a row, each of them the ids that begin with the same digits. */
interface Stretches {
  digits: number;
  /** The first digits of the latest, as a number, and how many they are with those before it. */
  latest: number;
  count: number;
}

function idOf(start: string, filler: string): string {
  const all = start.padEnd(32, filler);
  return [all.slice(0, 8), all.slice(8, 12), all.slice(12, 16), all.slice(16, 20), all.slice(20)].join('-');
}

const numberOf = (id: string, digits: number) => Number.parseInt(id.replace('-', '').slice(0, digits), 16);
const startOf = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
const firstOf = ({ digits, latest, count }: Stretches) => idOf(startOf(latest - count + 1, digits), '0');
const lastOf = ({ digits, latest }: Stretches) => idOf(startOf(latest, digits), 'f');

/** SQL of a `tsquery` of all of them. */
const factOf = ({ digits, latest, count }: Stretches) =>
  Array.from({ length: count }, (_, at) => fact.time(idOf(startOf(latest - at, digits), '0'), digits)).join(' | ');

/** Each once, newest first. */
const inOrder = (ids: string[], limit: number): string[] => [...new Set(ids)].sort().reverse().slice(0, limit);

/** SQL of `tsquery`s that all must hold: for the newest messages, and for the index of all. */
export interface Parts {
  near: string[];
  far: string[];
}

/**
 * Finds the newest messages with some words, at a cost that does not grow with how much was said. Common words are among
 * the newest messages; rare ones are few. What is common in all and not lately is looked for in some stretches of time after
 * others, from the newest on: in twice as many where there was little, and in parts of one that has much.
 */
export class Finder {
  private readonly rows: Rows;
  private readonly parts: Parts;
  private readonly sought: Sought;
  private readonly found: string[] = [];
  private readonly end: number;
  private looks = 0;

  /** @param limitMs after this, what was found so far is the answer */
  constructor(rows: Rows, parts: Parts, sought: Sought, limitMs = usualLimitMs) {
    this.rows = rows;
    this.parts = parts;
    this.sought = sought;
    this.end = performance.now() + limitMs;
  }

  /** @returns ids, newest first; `isCut`: there may be more, which took too long */
  async run(): Promise<{ ids: string[]; isCut: boolean }> {
    const { limit } = this.sought;
    const latest = await findNewest(this.rows, this.parts.near, this.sought);
    if (latest.length >= limit) return { ids: inOrder(latest, limit), isCut: false };
    const { seen, ids } = await findSome(this.rows, this.parts.far, this.sought, look);
    if (seen < look) return { ids: inOrder([...latest, ...ids], limit), isCut: false };
    await this.walk(this.sought, 0);
    const isCut = this.found.length < limit && this.isOver();
    return { ids: inOrder([...latest, ...this.found], limit), isCut };
  }

  /** Looks at one time after the other in which there are messages. @param level of `timeDigits` */
  private async walk(between: { before: string; from: string }, level: number): Promise<void> {
    const digits = timeDigits[level] ?? timeDigits[0];
    const earliest = numberOf(between.from, digits);
    let { before } = between;
    let width = 1;
    while (!this.isOver()) {
      const next = await nextBefore(this.rows, before, between.from);
      if (next === undefined) return;
      const latest = numberOf(next, digits);
      const stretches = { digits, latest, count: Math.min(width, latest - earliest + 1) };
      const isDone = await this.lookAt(stretches, level);
      width = isDone ? Math.min(width * 2, widest) : Math.ceil(width / 4);
      if (isDone && latest - stretches.count < earliest) return;
      if (isDone) before = firstOf(stretches);
    }
  }

  /** @returns false: they have too many, and fewer have to be looked at */
  private async lookAt(stretches: Stretches, level: number): Promise<boolean> {
    this.looks++;
    const isLast = level === timeDigits.length - 1 && stretches.count === 1;
    const limit = this.sought.limit - this.found.length;
    const most = isLast ? all : look;
    // What is in the stretches is the rarest, or nearly.
    const parts = [factOf(stretches), ...this.parts.far];
    const { seen, ids } = await findSome(this.rows, parts, { ...this.sought, limit }, most);
    if (seen < most) this.found.push(...ids);
    else if (stretches.count > 1) return false;
    else await this.divide(stretches, level);
    return true;
  }

  private async divide(stretch: Stretches, level: number): Promise<void> {
    const [first, last] = [firstOf(stretch), lastOf(stretch)];
    const { before, from } = this.sought;
    await this.walk({ before: last < before ? last : before, from: first > from ? first : from }, level + 1);
  }

  private isOver(): boolean {
    return this.found.length >= this.sought.limit || this.looks >= mostLooks || performance.now() > this.end;
  }
}
