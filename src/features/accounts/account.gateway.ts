import type { Actor } from '../../contract/actor.ts';
import { asAppError } from '../../contract/errors.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import { requireScopes, scopesOfSockets } from '../../contract/scopes.ts';
import { sessionClientEvents } from '../../contract/session.ts';
import type { SocketServices } from '../../gateway/dispatch.ts';
import type { TokenExpiry } from '../../gateway/expiry.ts';
import { emitTo } from '../../gateway/frames.ts';
import { type Handler, handlers } from '../../gateway/handler.ts';
import type { ParleySocket } from '../../gateway/socket.ts';
import type { Identity } from './identity.ts';
import { sessionRevokedEvent } from './sessions/revocation.ts';

/** Runs for each event. Usually everything is cached, and then it needs no promise. */
export function authenticity(identity: Identity): SocketServices['stillAuthentic'] {
  return (socket) => {
    identity.used(socket.data.actor);
    return identity.isCurrent(socket.data.actor) ? undefined : authenticateAgain(identity, socket);
  };
}

async function authenticateAgain(identity: Identity, socket: ParleySocket): Promise<void> {
  const before = socket.data.actor;
  const now = await identity.refreshed(before);
  identity.requireSecondFactor(now);
  // The token may have been renewed meanwhile.
  if (socket.data.actor === before) socket.data.actor = now;
}

/** Closes a socket whose new session was ended while it switched to it. */
function sendOff(socket: ParleySocket, { sessionId, personalTokenId }: Actor, error: unknown): never {
  const id = sessionId ?? personalTokenId;
  if (asAppError(error).status === 401) {
    if (id) emitTo(socket, sessionRevokedEvent(id).name, JSON.stringify(sessionRevokedEvent(id).data));
    socket.disconnect(true);
  } else {
    // It cannot be checked now; the client reconnects by itself and is checked then.
    socket.conn.close();
  }
  throw error;
}

export function accountHandlers(identity: Identity, expiry: TokenExpiry): Handler[] {
  return handlers(sessionClientEvents, {
    async 'auth:renew'({ actor, payload, socket }) {
      const next = await identity.renewed(actor, payload.token);
      if (next.scopes) requireScopes(next.scopes, scopesOfSockets);
      identity.requireSecondFactor(next);
      expiry.renew(socket, next);
      // From here on a revocation of the new session finds the socket; this check catches one just before.
      await identity.refreshed(next).catch((error) => sendOff(socket, next, error));
      const { expiresAt, sessionId } = next;
      return { sessionId, expiresAt: isoTimeOrNull(expiresAt === null ? null : new Date(expiresAt)) };
    },
  });
}
