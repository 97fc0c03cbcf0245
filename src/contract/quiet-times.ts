import { dateAt, daysAfter, knownZone, type LocalDate, momentOf, weekdayOf } from './local-time.ts';

/** A part of a week. Where `to` is not after `from` it ends on the next day. */
export interface QuietSpan {
  /** The day on which it begins: 1 is Monday, 7 Sunday. */
  day: number;
  /** As `22:30`. */
  from: string;
  to: string;
}

/** Times at which someone does not want to be disturbed (contract §7). */
interface QuietTimes {
  quietHours: { isOn: boolean; spans: QuietSpan[] };
  snoozedUntil: Date | string | null;
  /** Null: UTC. */
  timeZone: string | null;
}

/** All that decides whether someone may be disturbed (contract §7). */
export interface QuietSettings extends QuietTimes {
  /** They have the status `dnd`, which lasts until they end it. */
  isBusy: boolean;
}

/** Someone who is quiet all week is asked about again after so many spans. */
const mostSpans = 30;

/**
 * Whether someone is not to be disturbed at a moment, by their status, their quiet hours, or since they snoozed (contract §7):
 * nothing is pushed or mailed to them then, and no device makes a sound or shows a notice. Their notifications are listed as
 * ever.
 */
export function isQuietAt({ isBusy, quietHours, snoozedUntil, timeZone }: QuietSettings, at: Date): boolean {
  if (isBusy || (snoozedUntil !== null && new Date(snoozedUntil) > at)) return true;
  return quietHours.isOn && endOfSpans(quietHours.spans, knownZone(timeZone), at.getTime()) > at.getTime();
}

/**
 * Until when it is a quiet time: to the end of all that is quiet without a pause.
 * @returns null: it is none
 */
export function quietUntil(settings: QuietTimes, at: Date): Date | null {
  const timeZone = knownZone(settings.timeZone);
  const snoozed = settings.snoozedUntil === null ? 0 : new Date(settings.snoozedUntil).getTime();
  const spans = settings.quietHours.isOn ? settings.quietHours.spans : [];
  let until = at.getTime();
  for (let count = 0; count < mostSpans; count++) {
    const next = Math.max(snoozed, spans.length > 0 ? endOfSpans(spans, timeZone, until) : 0);
    if (next <= until) break;
    until = next;
  }
  return until > at.getTime() ? new Date(until) : null;
}

/** The last end of the spans that contain a moment; 0 without one. */
function endOfSpans(spans: QuietSpan[], timeZone: string, ms: number): number {
  const today = dateAt(timeZone, ms);
  const ends = [daysAfter(today, -1), today].flatMap((date) =>
    spans.filter(({ day }) => day === weekdayOf(date)).map((span) => endOfSpan(span, timeZone, date, ms)),
  );
  return Math.max(0, ...ends);
}

function endOfSpan({ from, to }: QuietSpan, timeZone: string, date: LocalDate, ms: number): number {
  // A time that comes twice begins a span at once, and ends it late: in between it stays quiet.
  const start = momentOf(timeZone, date, from, 'first');
  const end = momentOf(timeZone, to > from ? date : daysAfter(date, 1), to, 'last');
  return start <= ms && ms < end ? end : 0;
}
