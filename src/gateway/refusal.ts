import { setTimeout as delay } from 'node:timers/promises';
import { asAppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';
import type { ParleySocket } from './socket.ts';

const refusals: Partial<Record<ErrorCode, string>> = {
  AUTH_TOKEN_MISSING: 'Authentication required',
  SESSION_REVOKED: 'Session revoked',
  DATABASE_UNAVAILABLE: 'Authentication unavailable',
  INTERNAL_ERROR: 'Authentication unavailable',
};

/** What a refused client finds in `connect_error` (contract §9). */
export function refusal(error: unknown, log: Log): Error {
  const known = asAppError(error);
  if (known.code === 'INTERNAL_ERROR') log.error({ err: error }, 'A socket could not be authenticated.');
  const message = refusals[known.code] ?? 'Invalid token';
  return Object.assign(new Error(message), { data: { code: known.code, error: known.message } });
}

/**
 * How long those who come back wait for a database that is away: longer than Socket.IO lets a connection come to nothing, which
 * it closes after 45 s, and then its client tries again. After a refusal stock clients do not come back by themselves.
 */
export const returningMs = 60_000;
/** The same for those who come for the first time, who have somebody to look at the refusal. */
const newcomerMs = 2000;
const betweenMs = { first: 250, most: 2000 };

/** How long a client waits. Who was connected before has the private id of that session. */
export function patienceWith({ handshake }: Pick<ParleySocket, 'handshake'>): number {
  return typeof handshake.auth.pid === 'string' ? returningMs : newcomerMs;
}

/**
 * Tries again while the database is away.
 * @param isWanted whether somebody still waits for what becomes of it
 */
export async function patiently<T>(attempt: () => Promise<T>, ms: number, isWanted = () => true): Promise<T> {
  const until = performance.now() + ms;
  for (let wait = betweenMs.first; ; wait = Math.min(wait * 2, betweenMs.most)) {
    try {
      return await attempt();
    } catch (error) {
      if (asAppError(error).code !== 'DATABASE_UNAVAILABLE' || performance.now() > until || !isWanted()) throw error;
    }
    await delay(wait * (0.5 + Math.random() / 2));
  }
}
