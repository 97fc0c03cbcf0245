import type { Actor } from '../access/actor.ts';
import { AppError, asAppError } from '../errors.ts';
import type { SocketServices } from '../gateway/dispatch.ts';
import type { TokenExpiry } from '../gateway/expiry.ts';
import { tellOne } from '../gateway/frames.ts';
import { type Handler, handler } from '../gateway/handler.ts';
import type { ParleySocket } from '../gateway/socket.ts';
import { isoTimeOrNull } from '../schema.ts';
import type { Identity } from './identity.ts';
import { goodbye } from './sessions/revocation.ts';
import { renewAckSchema, renewSchema } from './sessions/session.contract.ts';

/** The check of each event. Usually all is known, and then no promise is made for it. */
export function authenticity(identity: Identity): SocketServices['stillAuthentic'] {
  return (socket) => (identity.isCurrent(socket.data.actor) ? undefined : authenticateAgain(identity, socket));
}

async function authenticateAgain(identity: Identity, socket: ParleySocket): Promise<void> {
  const before = socket.data.actor;
  const now = await identity.refreshed(before);
  // It may have been renewed meanwhile.
  if (socket.data.actor === before) socket.data.actor = now;
}

/** Ends a socket whose session was ended while it came over to it. */
function sendOff(socket: ParleySocket, { sessionId, personalTokenId }: Actor, error: unknown): never {
  const id = sessionId ?? personalTokenId;
  if (asAppError(error).status === 401) {
    if (id) tellOne(socket, goodbye(id).name, JSON.stringify(goodbye(id).data));
    socket.disconnect(true);
  } else {
    // Nobody can say now; it comes back by itself and is asked anew.
    socket.conn.close();
  }
  throw error;
}

export function accountHandlers(identity: Identity, expiry: TokenExpiry): Handler[] {
  return [
    handler({
      event: 'auth:renew',
      summary: 'Go on with a new token of the same user, before the old one ends.',
      tag: 'Accounts',
      payload: renewSchema,
      ack: renewAckSchema,
      errors: ['ACCESS_TOKEN_INVALID', 'SESSION_REVOKED', 'PAT_TOKEN_INVALID', 'PAT_TOKEN_EXPIRED'],
      limit: 'events',
      lane: { by: null },
      readOnly: true,
      async handle({ actor, payload, socket }) {
        const next = await identity.authenticate(payload.token, null);
        if (next.userId !== actor.userId) throw new AppError('ACCESS_TOKEN_INVALID');
        expiry.renew(socket, next);
        // Whoever ends the new session finds the socket from here on; what was ended just before that is seen now.
        await identity.refreshed(next).catch((error) => sendOff(socket, next, error));
        const { expiresAt, sessionId } = next;
        return { sessionId, expiresAt: isoTimeOrNull(expiresAt === null ? null : new Date(expiresAt)) };
      },
    }),
  ];
}
