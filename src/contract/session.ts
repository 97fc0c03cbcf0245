import { z } from 'zod';
import { ephemeralEvent } from './event.ts';
import { idSchema, timeSchema } from './schema.ts';

export const refreshSchema = z.object({ refreshToken: z.string().min(1).max(8192) });

export const tokenPairSchema = z.object({ accessToken: z.string(), refreshToken: z.string() });

export const sessionSchema = z.object({
  id: idSchema,
  deviceName: z.string().nullable(),
  userAgent: z.string().nullable(),
  ipAddress: z.string().nullable(),
  createdAt: timeSchema,
  lastSeenAt: timeSchema,
  /** Whether it is the calling session. */
  current: z.boolean(),
});

/** For the client event `auth:renew`. */
export const renewSchema = z.object({ token: z.string().min(1).max(8192) });

export const renewAckSchema = z.object({ sessionId: idSchema.nullable(), expiresAt: timeSchema.nullable() });

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
