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
 * Whether pages of an origin may open sockets (contract §9): of those that are set, or of this site itself, since
 * browsers name the origin of a socket also where it is the same.
 */
export function allowsOrigin(
  { origin, host }: IncomingHttpHeaders,
  { corsOrigins, publicUrl }: Pick<Settings, 'corsOrigins' | 'publicUrl'>,
): boolean {
  if (origin === undefined || corsOrigins.length === 0 || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  return publicUrl === null ? new URL(origin).host === host : new URL(publicUrl).origin === origin;
}
