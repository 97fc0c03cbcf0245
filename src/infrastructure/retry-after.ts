import { clock } from './clock.ts';
/** The delay in a `Retry-After` header, in milliseconds, given in seconds or as a date; null if it is neither. */
export function parseRetryAfter(header: string | string[] | undefined): number | null {
  const text = String(header ?? '');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(at - clock.now(), 0);
}
