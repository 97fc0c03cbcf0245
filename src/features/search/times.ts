import { momentOf } from '../../contract/local-time.ts';

/** Times of a search: messages are found by their ids, which begin with their time. */

const rest = '7000-8000-000000000000';

/** The least id of a moment, in ms since 1970. */
export function firstIdOf(ms: number): string {
  const digits = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${rest}`;
}

/** The moment that an id begins with, in ms since 1970. */
export const msOf = (id: string): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

/** A moment, or a day, month or year; the end is exclusive. */
interface Period {
  start: number;
  end: number;
}

const latest = Date.UTC(9999, 0);
const calendar = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;
const moment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/i;

/** As dates, by the milliseconds of their midnights in UTC; null: there is no such day. */
function calendarPeriod(year: number, month: number | undefined, day: number | undefined): Period | null {
  const start = new Date(Date.UTC(year, (month ?? 1) - 1, day ?? 1));
  const isReal = start.getUTCMonth() === (month ?? 1) - 1 && start.getUTCDate() === (day ?? 1);
  if (!isReal) return null;
  const end = new Date(start);
  if (day !== undefined) end.setUTCDate(day + 1);
  else if (month !== undefined) end.setUTCMonth(month);
  else end.setUTCFullYear(year + 1);
  return { start: start.getTime(), end: end.getTime() };
}

/**
 * `2026-11-27`, `2026-11`, `2026` by the clocks of a time zone, or a time with its offset; null: anything else.
 * @param timeZone one that is known
 */
export function periodOf(text: string, timeZone: string): Period | null {
  const [, year, month, day] = calendar.exec(text) ?? [];
  const number = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));
  const at = moment.test(text) ? Date.parse(text) : Number.NaN;
  const period = year ? calendarPeriod(Number(year), number(month), number(day)) : { start: at, end: at + 1 };
  if (!period || !(period.start >= 0 && period.end < latest)) return null;
  if (!year) return period;
  const midnight = (date: number) => momentOf(timeZone, date, '00:00', 'first');
  return { start: midnight(period.start), end: midnight(period.end) };
}
