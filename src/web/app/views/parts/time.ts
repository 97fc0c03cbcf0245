const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });

const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const clockTime = (iso: string): string => clock.format(new Date(iso));
export const fullTime = (iso: string): string => full.format(new Date(iso));
export const dayKey = (iso: string): string => new Date(iso).toDateString();

/** The time, with the date unless it is today. */
export function shortTime(iso: string): string {
  const isToday = dayKey(iso) === new Date().toDateString();
  return isToday ? clockTime(iso) : short.format(new Date(iso));
}

export function dayName(iso: string): string {
  const then = new Date(iso);
  const today = new Date();
  if (then.toDateString() === today.toDateString()) return 'Today';
  today.setDate(today.getDate() - 1);
  return then.toDateString() === today.toDateString() ? 'Yesterday' : day.format(then);
}
