/**
 * Whether an address is exactly one of an app's own. Programs of the own machine listen on any free port (RFC 8252 §7.3), so that
 * of a loopback address alone may differ.
 */
export function isOwnRedirect(registered: readonly string[], given: string): boolean {
  return registered.includes(given) || registered.some((own) => isSameButPort(own, given));
}

const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*)?$/;

function isSameButPort(own: string, given: string): boolean {
  const [mine, theirs] = [loopback.exec(own), loopback.exec(given)];
  return mine !== null && theirs !== null && mine[1] === theirs[1] && mine[2] === theirs[2] && URL.canParse(given);
}

/** An address with these parameters added; those that it has stay. */
export function withParameters(address: string, parameters: Record<string, string | undefined>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** Where an address leads, as a person is shown it: its host, or the scheme of an app. */
export function placeOf(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol;
}
