/** How many milliseconds a `Retry-After` asks to wait, in seconds or as a date; null where it says neither. */
export function waitOf(header: string | string[] | undefined): number | null {
  const text = String(header ?? '');
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(at - Date.now(), 0);
}
