import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Settings } from '../settings.ts';

/**
 * Which requests to upgrade go to Socket.IO; others are served as if they had not asked, which is what HTTP wants: some
 * programs (Java's own client, curl) offer HTTP/2 with each first request, and would get no answer at all.
 */
export function isForSockets({ headers, url = '' }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.startsWith('/socket.io/');
}

/**
 * Whether a request may become a socket: by where its page is from, and not on the host that is for apps alone.
 * @param isAppsHost as the REST doors ask it (contract §8, `APPS_URL`)
 */
export function mayOpen(
  headers: IncomingHttpHeaders,
  settings: Settings,
  isAppsHost: (host: string) => boolean,
): boolean {
  return allowsOrigin(headers, settings) && !isAppsHost(hostOf(headers, settings.trustProxy));
}

/** Whom the client asked: a proxy that is trusted says so. */
function hostOf(headers: IncomingHttpHeaders, trustProxy: number): string {
  const forwarded = trustProxy > 0 ? headers['x-forwarded-host'] : undefined;
  const [host = ''] = String(forwarded || headers.host).split(',');
  return host.trim();
}

/**
 * Whether pages of an origin may open sockets (contract §9): of those that are set, or of this site itself, since browsers
 * name the origin of a socket also where it is the same. So do other programs (Python's), and those may come by an address
 * inside, not by the public one.
 */
function allowsOrigin(headers: IncomingHttpHeaders, { corsOrigins, publicUrl, trustProxy }: Settings): boolean {
  const { origin } = headers;
  if (origin === undefined || corsOrigins.length === 0 || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === hostOf(headers, trustProxy) || (publicUrl !== null && new URL(publicUrl).origin === origin);
}
