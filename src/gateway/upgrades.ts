import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { clientHost } from '../infrastructure/client-address.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Which upgrade requests are for sockets: Socket.IO's, and those of apps. Others are served without an upgrade, as HTTP
 * specifies: some programs (Java's own client, curl) offer HTTP/2 with each first request, and would get no response.
 */
export function isForSockets({ method, headers, url = '' }: IncomingMessage): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && /^\/(socket\.io|api\/app-proxy)\//i.test(url);
}

/**
 * Whether a request may become a socket: depends on the origin of its page, and never on a host that serves only apps.
 * @param isAppsHost whether a host serves only apps (contract §8, `APPS_URL`)
 */
export function mayOpen(
  headers: IncomingHttpHeaders,
  settings: Settings,
  isAppsHost: (host: string) => boolean,
): boolean {
  return allowsOrigin(headers, settings) && !isAppsHost(clientHost(headers, settings.trustProxy) ?? '');
}

/**
 * Whether pages of an origin may open sockets (contract §9): the configured ones, or this site itself, since browsers send
 * the origin of a WebSocket even for the same site. Other programs (Python's) do so too, and may use an internal address
 * instead of the public one.
 */
function allowsOrigin(headers: IncomingHttpHeaders, { corsOrigins, publicUrl, trustProxy }: Settings): boolean {
  const { origin } = headers;
  if (origin === undefined || corsOrigins.length === 0 || corsOrigins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host === clientHost(headers, trustProxy) || (publicUrl !== null && new URL(publicUrl).origin === origin);
}
