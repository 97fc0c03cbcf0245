import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { AppError, asAppError } from '../../contract/errors.ts';
import { isUuid } from '../../contract/schema.ts';
import { refuseConnection } from '../../gateway/broken-requests.ts';
import { clientAddress, clientHost, networksOf } from '../../infrastructure/client-address.ts';
import { IdleTimer } from '../../infrastructure/idle-timer.ts';
import { type RateLimits, refusal } from '../../infrastructure/rate-limits.ts';
import type { AppProxy, ProxiedSocket } from './app.proxy.ts';
import type { AppsOrigin } from './apps-origin.ts';

interface SocketParts {
  proxy: AppProxy;
  origin: AppsOrigin;
  limits: RateLimits;
  trustProxy: number;
}

const address = /^\/api\/app-proxy\/([^/?]+)(\/[^?]*)?(\?.*)?$/i;

/**
 * WebSockets to the servers of apps (contract §8), under the rules of other requests to them.
 * @returns takes an upgrade request that is for an app
 */
export function appSockets(parts: SocketParts): (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean {
  return (request, socket, head) => {
    const [, appId, rest = '', search = ''] = address.exec(request.url ?? '') ?? [];
    if (appId === undefined) return false;
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    // Without a listener it would end the process.
    socket.on('error', () => {});
    open(parts, request, { appId: appId.toLowerCase(), rest, search }, gone.signal).then(
      (opened) =>
        opened.upgraded ? connect(socket, head, opened, parts.proxy.socketIdleMs) : answer(request, socket, opened),
      (error) => refuseConnection(socket, asAppError(error)),
    );
    return true;
  };
}

async function open(
  { proxy, origin, limits, trustProxy }: SocketParts,
  { headers, socket }: IncomingMessage,
  { appId, rest, search }: { appId: string; rest: string; search: string },
  signal: AbortSignal,
): Promise<ProxiedSocket> {
  const from = networksOf(clientAddress(headers, socket.remoteAddress ?? '', trustProxy));
  const quota = limits.takeHere('appRequests', from);
  if (quota?.exceeded) throw refusal(quota);
  if (!isUuid(appId)) throw new AppError('APP_NOT_FOUND');
  // Browsers follow no redirect here.
  if (origin.elsewhere(clientHost(headers, trustProxy) ?? '', { path: '', search: '' }))
    throw new AppError('ROUTE_NOT_FOUND');
  return proxy.open(appId, { rest, search, headers, address: from }, signal);
}

/** Connects both ends until one closes, both are silent, or the app is gone. */
function connect(socket: Duplex, head: Buffer, { headers, upgraded, signal }: ProxiedSocket, idleMs: number): void {
  if (!upgraded) return;
  const upstream = upgraded.socket;
  const idle = new IdleTimer(idleMs);
  const end = () => {
    idle.stop();
    socket.destroy();
    upstream.destroy();
  };
  const over = AbortSignal.any([signal, idle.signal]);
  over.addEventListener('abort', end, { once: true });
  for (const side of [socket, upstream]) {
    side.on('error', end);
    side.once('close', end);
    side.on('data', () => idle.touch());
    if (side instanceof Socket) side.setNoDelay(true);
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 101 ${STATUS_CODES[101]}`, ...lines, '', ''].join('\r\n'), 'latin1');
  socket.write(upgraded.head);
  upstream.write(head);
  socket.pipe(upstream).pipe(socket);
  // Either end may have closed while the app was answering.
  if (over.aborted || socket.destroyed) end();
}

/** The app's answer to a handshake that it did not accept. */
function answer(request: IncomingMessage, socket: Duplex, { status, headers, body }: ProxiedSocket): void {
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  for (const [name, value] of Object.entries(headers)) if (value !== null) response.setHeader(name, value);
  response.writeHead(status);
  pipeline(body, response, () => socket.destroySoon());
}
