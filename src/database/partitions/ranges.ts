/** A span of time in ms since 1970: from `from` on (null: from the beginning), before `to`. */
export interface Range {
  from: number | null;
  to: number;
}

const dayMs = 86_400_000;

/** Partitions are made this many days ahead: for so long no node has to be there that makes some. */
const aheadDays = 2;

/** A read of the whole log looks into each partition, so there are about as many however long entries are kept. */
const partitionsKept = 7;

/** How many days a partition has. @param keepDays how long entries are kept */
export function widthInDays(keepDays: number): number {
  return Math.max(1, Math.ceil(keepDays / partitionsKept));
}

function startOfDay(now: number): number {
  return now - (now % dayMs);
}

const covers = (range: Range, time: number): boolean =>
  (range.from ?? Number.NEGATIVE_INFINITY) <= time && time < range.to;

/** What is to be added so that the present and the days ahead are covered without gaps, in days by UTC. */
export function rangesToMake(ranges: Range[], now: number, keepDays: number): { from: number; to: number }[] {
  const width = widthInDays(keepDays) * dayMs;
  const end = startOfDay(now) + (1 + aheadDays) * dayMs;
  const made: { from: number; to: number }[] = [];
  for (let at = startOfDay(now); at < end; ) {
    const present = ranges.find((range) => covers(range, at));
    const to = present?.to ?? Math.min(at + width, ...startsAfter(ranges, at));
    if (!present) made.push({ from: at, to });
    at = to;
  }
  return made;
}

/** The gap between the ranges in which `now` is, up to the day after tomorrow at most; undefined: there is none. */
export function gapAt(ranges: Range[], now: number): Range | undefined {
  if (ranges.some((range) => covers(range, now))) return undefined;
  const before = ranges.filter(({ to }) => to <= now).map(({ to }) => to);
  const to = Math.min(startOfDay(now) + aheadDays * dayMs, ...startsAfter(ranges, now));
  return { from: before.length > 0 ? Math.max(...before) : null, to };
}

function startsAfter(ranges: Range[], time: number): number[] {
  return ranges.flatMap(({ from }) => (from !== null && from > time ? [from] : []));
}

/** Whether nothing in a range is to be kept any more. Its entries may still be written a day later, by a long transaction. */
export function isOver({ to }: Range, now: number, keepDays: number): boolean {
  return to <= now - Math.max(keepDays, 1) * dayMs;
}
