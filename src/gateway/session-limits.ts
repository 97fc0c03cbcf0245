import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../contract/errors.ts';
import { AtOnceByNetwork } from '../infrastructure/at-once.ts';
import { clientAddress, type Networks, networksOf } from '../infrastructure/client-address.ts';
import type { Settings } from '../settings/settings.ts';
import { refuseConnection } from './broken-requests.ts';
import { intercept } from './intercept.ts';
import type { ParleyServer } from './socket.ts';
import { mayOpen } from './upgrades.ts';

interface Deps {
  settings: Settings;
  isAppsHost(host: string): boolean;
}

/**
 * Bounds the sessions of Engine.IO that one address has on a node, signed in or not: a polling session is kept while it
 * has no connection, so the limit of connections does not bound it.
 */
export class SessionLimits {
  private readonly sessions: AtOnceByNetwork;
  private readonly deps: Deps;

  constructor(deps: Deps) {
    const { rateLimits, limits } = deps.settings;
    const max = rateLimits ? limits.connectionsPerAddress : Number.POSITIVE_INFINITY;
    this.sessions = new AtOnceByNetwork(max, limits.ipv6SiteFactor);
    this.deps = deps;
  }

  /** Whether a request may proceed: its origin is allowed, and it has a session or its address may begin one. */
  admits(request: IncomingMessage): boolean {
    if (!mayOpen(request.headers, this.deps.settings, this.deps.isAppsHost)) return false;
    return hasSession(request) || !this.sessions.isFull(this.networksOf(request));
  }

  watch(engine: ParleyServer['engine']): void {
    engine.on('connection', (session: { request: IncomingMessage; once(event: 'close', then: () => void): void }) => {
      const networks = this.networksOf(session.request);
      if (this.sessions.enter(networks)) session.once('close', () => this.sessions.leave(networks));
    });
  }

  private networksOf({ headers, socket }: IncomingMessage): Networks {
    return networksOf(clientAddress(headers, socket.remoteAddress ?? '', this.deps.settings.trustProxy));
  }
}

/** Whether a request belongs to a session of Engine.IO that was begun before. */
const hasSession = ({ url = '' }: IncomingMessage): boolean => /[?&]sid=/.test(url);
const isForEngine = ({ url = '' }: IncomingMessage): boolean => url.startsWith('/socket.io/');

/**
 * Refuses new sessions from now on: one that begins on a stopping node ends before its client is let in, which the
 * client takes for an error. Proxies begin it elsewhere. Existing sessions continue over the connections they have.
 */
export function refuseSessions(server: Server): void {
  const refuse = (socket: Duplex) => {
    refuseConnection(socket, new AppError('SERVER_BUSY', { message: 'This node is stopping.', retryAfter: 1 }));
    return true;
  };
  const begins = (request: IncomingMessage) => isForEngine(request) && !hasSession(request);
  intercept(server, 'request', (request: IncomingMessage) => begins(request) && refuse(request.socket));
  intercept(server, 'upgrade', (request: IncomingMessage, socket: Duplex) => begins(request) && refuse(socket));
}
