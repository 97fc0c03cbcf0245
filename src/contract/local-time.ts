/**
 * Times of day in someone's time zone. Where clocks are set forward a time is missing: the moment of the jump stands for
 * it. Where they are set back a time comes twice.
 */

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** A calendar date, as the milliseconds of its midnight in UTC. */
export type LocalDate = number;

/** Formatters are costly to make, and there are as many zones as there are. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'gregory', hourCycle: 'h23' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formatters.set(timeZone, made);
  return made;
}

/** A zone that this runtime knows; UTC in place of others, since not all have the same tables. */
export function knownZone(timeZone: string | null): string {
  if (timeZone === null) return 'UTC';
  try {
    formatterOf(timeZone);
    return timeZone;
  } catch {
    return 'UTC';
  }
}

/** What the clocks show at a moment, as if they were of UTC. */
function shownAt(timeZone: string, ms: number): number {
  const parts = new Map(
    formatterOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}

const offsetAt = (timeZone: string, ms: number): number => shownAt(timeZone, ms) - Math.floor(ms / 1000) * 1000;

/** The date at a moment. @param timeZone one that is known */
export function dateAt(timeZone: string, ms: number): LocalDate {
  return Math.floor(shownAt(timeZone, ms) / dayMs) * dayMs;
}

/** The date some days later. */
export const daysAfter = (date: LocalDate, days: number): LocalDate => date + days * dayMs;

/** 1 is Monday, 7 Sunday. */
export const weekdayOf = (date: LocalDate): number => new Date(date).getUTCDay() || 7;

/**
 * When clocks show a time on a date.
 * @param time as `22:30`
 * @param which of two, where it comes twice
 */
export function momentOf(timeZone: string, date: LocalDate, time: string, which: 'first' | 'last'): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const shown = date + (hours * 60 + minutes) * minuteMs;
  const [before, after] = [shown - dayMs, shown + dayMs].map((ms) => offsetAt(timeZone, ms));
  const found = [before, after]
    .map((offset = 0) => shown - offset)
    .filter((ms) => shownAt(timeZone, ms) === shown)
    .sort((a, b) => a - b);
  const moment = which === 'first' ? found[0] : found.at(-1);
  return moment ?? jumpOver(timeZone, shown);
}

/** The moment at which clocks jump over a time. */
function jumpOver(timeZone: string, shown: number): number {
  let [low, high] = [shown - dayMs, shown + dayMs];
  // Clocks show less before it and more after it.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (shownAt(timeZone, middle) < shown) low = middle;
    else high = middle;
  }
  return high;
}

/** The next moment at which clocks show a time. */
export function nextMomentOf(timeZone: string, time: string, afterMs: number): number {
  const today = dateAt(timeZone, afterMs);
  const next = [0, 1].map((days) => momentOf(timeZone, daysAfter(today, days), time, 'first'));
  return next.find((ms) => ms > afterMs) ?? momentOf(timeZone, daysAfter(today, 2), time, 'first');
}
