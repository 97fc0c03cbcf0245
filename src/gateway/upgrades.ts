import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Settings } from '../settings.ts';

/**
 * Which requests to upgrade go to Socket.IO; others are served as if they had not asked, which is what HTTP wants: some
 * programs (Java's own client, curl) offer HTTP/2 with each first request, and would get no answer at all.
 */
export function isForSockets({ headers, url = '' }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket' && url.startsWith('/socket.io/');
}

/** Whether a request may become a socket: by where its page is from, and not on the host that is for apps alone. */
export function mayOpen(headers: IncomingHttpHeaders, settings: Settings): boolean {
  return allowsOrigin(headers, settings) && !isForApps(headers, settings);
}

/** As the other doors see it: a proxy that is trusted says whom the client asked (contract §8, `APPS_URL`). */
function isForApps(headers: IncomingHttpHeaders, { appsUrl, trustProxy }: Settings): boolean {
  if (appsUrl === null) return false;
  const forwarded = trustProxy > 0 ? headers['x-forwarded-host'] : undefined;
  const [host = ''] = String(forwarded || headers.host).split(',');
  return host.trim().toLowerCase() === new URL(appsUrl).host;
}

/**
 * Whether pages of an origin may open sockets (contract §9): of those that are set, or of this site itself, since
 * browsers name the origin of a socket also where it is the same.
 */
function allowsOrigin(
  { origin, host }: IncomingHttpHeaders,
  { corsOrigins, publicUrl }: Pick<Settings, 'corsOrigins' | 'publicUrl'>,
): boolean {
  if (origin === undefined || corsOrigins.length === 0 || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  return publicUrl === null ? new URL(origin).host === host : new URL(publicUrl).origin === origin;
}
