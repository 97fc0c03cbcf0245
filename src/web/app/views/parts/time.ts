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

/** How long that is: `0:05`, `2:30`, `3 h 5 min`, `2 d 3 h`. */
export function countdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (hours >= 24) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours >= 1) return `${hours} h ${minutes % 60} min`;
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A pause in words: `5 seconds`, `minute`, `2 hours`. */
export function pauseText(seconds: number): string {
  const units = [
    { of: 3600, name: 'hour' },
    { of: 60, name: 'minute' },
    { of: 1, name: 'second' },
  ];
  const { of, name } = units.find((unit) => seconds % unit.of === 0) ?? { of: 1, name: 'second' };
  return seconds === of ? name : `${seconds / of} ${name}s`;
}
