import { z } from 'zod';
import { calls, clientEvents, uuidParam } from './call.ts';
import { ephemeralEvent } from './event.ts';
import { doneSchema, idSchema, timeSchema } from './schema.ts';

export const refreshSchema = z.object({ refreshToken: z.string().min(1).max(8192) });

export const tokenPairSchema = z.object({ accessToken: z.string(), refreshToken: z.string() });

export const sessionSchema = z.object({
  id: idSchema,
  deviceName: z.string().nullable().describe('As the client names it, else by its user agent: `Firefox on Linux`.'),
  userAgent: z.string().nullable(),
  place: z.string().nullable().describe('The range of addresses from which it was used last: a /24, or a /48 of IPv6.'),
  ipAddress: z.string().nullable().describe('The same as `place`.'),
  createdAt: timeSchema,
  lastSeenAt: timeSchema.describe('When it was used last, half a minute more or less.'),
  current: z.boolean().describe('Whether it is the session that asks.'),
});

export const sessionRevoked = ephemeralEvent({
  name: 'auth:session-revoked',
  summary: 'The session (or personal access token) of this socket was ended; the socket is closed.',
  room: 'socket',
  payload: z.object({ sessionId: idSchema }),
});

export const tokenExpiring = ephemeralEvent({
  name: 'auth:expiring',
  summary: 'The token of this socket expires soon; send auth:renew with a new one, or the socket is closed.',
  room: 'socket',
  payload: z.object({ expiresAt: timeSchema }),
});

export const sessionCalls = calls('Sessions', {
  refreshSession: {
    method: 'POST',
    path: '/api/auth/refresh',
    summary:
      'Exchange the refresh token for a new pair. Repeated within 20 s it gives the same successor; later that ends the session.',
    auth: 'none',
    body: refreshSchema,
    answer: tokenPairSchema,
    errors: ['REFRESH_TOKEN_INVALID', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED'],
    limit: 'refresh',
  },
  listSessions: {
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'Your sessions, the latest first.',
    answer: z.array(sessionSchema),
    errors: ['INSUFFICIENT_PAT_SCOPE'],
  },
  revokeSession: {
    method: 'DELETE',
    path: '/api/auth/sessions/:id',
    summary: 'End one of your sessions, with its tokens and sockets, on all nodes.',
    params: { id: uuidParam('SESSION_NOT_FOUND', 'Id of the session.') },
    answer: doneSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: null,
  },
  logOut: {
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End the session that asks.',
    answer: doneSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: null,
    unprotected: true,
    repeats: 'never',
  },
});

/** For pages that close: `sendBeacon` sends no headers, and usually not JSON's content type. */
export const disconnectCalls = calls('Accounts', {
  disconnect: {
    method: 'POST',
    path: '/api/auth/disconnect',
    summary: 'Announce that this client leaves: you are offline at once, unless you are connected elsewhere.',
    auth: 'none',
    headers: z.object({ authorization: z.string().optional() }),
    body: z.object({ token: z.string().max(8192).optional().catch(undefined) }),
    anyBody: true,
    answer: doneSchema,
  },
});

export const sessionClientEvents = clientEvents('Accounts', {
  'auth:renew': {
    summary: 'Continue with a new token of the same user, before the old one expires.',
    payload: z.object({ token: z.string().min(1).max(8192) }),
    ack: z.object({ sessionId: idSchema.nullable(), expiresAt: timeSchema.nullable() }),
    errors: [
      'ACCESS_TOKEN_INVALID',
      'SESSION_REVOKED',
      'PAT_TOKEN_INVALID',
      'PAT_TOKEN_EXPIRED',
      'INSUFFICIENT_PAT_SCOPE',
      'ACCOUNT_SUSPENDED',
      'SECOND_FACTOR_SETUP_REQUIRED',
    ],
    limit: 'events',
    lane: { by: null },
    readOnly: true,
    areas: [],
  },
});
