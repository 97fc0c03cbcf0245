import type { HourCycle } from '../../../contract/appearance.ts';
import type { Translate } from './texts.ts';

/** Times, numbers and lists in words. Times are ISO 8601. */
export interface Clock {
  clockTime(iso: string): string;
  fullTime(iso: string): string;
  /** The time, with the date unless it is today. */
  shortTime(iso: string): string;
  shortDate(iso: string): string;
  /** A day of the year, such as `3 May`. */
  dayOfYear(iso: string): string;
  /** The same for all times of one day. */
  dayKey(iso: string): string;
  /** `Today`, `Yesterday`, or the date in full. */
  dayName(iso: string): string;
  /** How long that is: `0:05`, `2:30`, `3 h 5 min`, `2 d 3 h`. */
  countdown(ms: number): string;
  /** `5 seconds`, `1 minute`, `2 hours`. */
  lasting(seconds: number): string;
  number(count: number): string;
  /** Several things: `a, b and c`. */
  listed(things: readonly string[]): string;
  /** For a field of a local time: `2026-01-31T09:00`. */
  localTime(at: Date): string;
  /** When it is that time there. @returns null if it is no time */
  instantOf(local: string): Date | null;
}

/** By which clock times are written. */
export interface ClockChoice {
  /** Null: that of the device. */
  timeZone: string | null;
  /** Null: as the locale has it. */
  hourCycle: HourCycle | null;
}

const dayMs = 86_400_000;
const units = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

export function clockOf({ locale, timeZone, hourCycle, t }: { locale: string; t: Translate } & ClockChoice): Clock {
  const zone = timeZone ?? undefined;
  const format = (options: Intl.DateTimeFormatOptions) => {
    const made = new Intl.DateTimeFormat(locale, { ...options, hourCycle: hourCycle ?? undefined, timeZone: zone });
    return (iso: string) => made.format(new Date(iso));
  };
  const time = format({ hour: hourCycle === 'h12' ? 'numeric' : '2-digit', minute: '2-digit' });
  const day = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const short = format({ dateStyle: 'medium', timeStyle: 'short' });
  const list = new Intl.ListFormat(locale);
  const numbers = new Intl.NumberFormat(locale);
  const local = localOf(zone);
  const dayKey = (iso: string) => local(new Date(iso)).slice(0, 10);
  const today = () => local(new Date()).slice(0, 10);
  const unit = (name: string, count: number) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(count);
  return {
    clockTime: time,
    fullTime: format({ dateStyle: 'full', timeStyle: 'short' }),
    shortTime: (iso) => (dayKey(iso) === today() ? time(iso) : short(iso)),
    shortDate: format({ dateStyle: 'short' }),
    dayOfYear: format({ day: 'numeric', month: 'long' }),
    dayKey,
    dayName(iso) {
      if (dayKey(iso) === today()) return t('Today');
      return dayKey(iso) === local(new Date(Date.now() - dayMs)).slice(0, 10) ? t('Yesterday') : day(iso);
    },
    countdown(ms) {
      const seconds = Math.ceil(ms / 1000);
      const minutes = Math.floor(seconds / 60);
      const hours = Math.floor(minutes / 60);
      if (hours >= 24) return `${unit('day', Math.floor(hours / 24))} ${unit('hour', hours % 24)}`;
      if (hours >= 1) return `${unit('hour', hours)} ${unit('minute', minutes % 60)}`;
      return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
    },
    lasting: (seconds) => {
      const [name, of] = units.find(([, of]) => seconds % of === 0) ?? units[2];
      return new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }).format(seconds / of);
    },
    number: (count) => numbers.format(count),
    listed: (things) => list.format(things),
    localTime: (at) => local(at).slice(0, 16),
    instantOf: (text) => instantOf(text, local),
  };
}

/** Writes times as the clocks of a zone show them: `2026-01-31T09:00:00`. */
function localOf(timeZone: string | undefined): (at: Date) => string {
  // Swedish dates are those of ISO 8601.
  const made = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return (at) => (Number.isNaN(at.getTime()) ? '' : made.format(at).replace(' ', 'T'));
}

/** When clocks show that time. Twice, since clocks may have changed between the first guess and it. */
function instantOf(text: string, local: (at: Date) => string): Date | null {
  const wanted = Date.parse(`${text}Z`);
  if (Number.isNaN(wanted)) return null;
  let at = wanted;
  for (let round = 0; round < 2; round++) at += wanted - Date.parse(`${local(new Date(at))}Z`);
  return new Date(at);
}
