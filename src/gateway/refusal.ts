import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../contract/error-codes.ts';
import { AppError, asAppError } from '../contract/errors.ts';
import type { Log } from '../infrastructure/log.ts';
import type { ParleySocket } from './socket.ts';

const refusals: Partial<Record<ErrorCode, string>> = {
  AUTH_TOKEN_MISSING: 'Authentication required',
  SESSION_REVOKED: 'Session revoked',
  ACCOUNT_SUSPENDED: 'Account suspended',
  SECOND_FACTOR_SETUP_REQUIRED: 'Second factor required',
  RATE_LIMITED: 'Too many requests',
  DATABASE_UNAVAILABLE: 'Authentication unavailable',
  INTERNAL_ERROR: 'Authentication unavailable',
};

/** What a refused client gets in `connect_error` (contract §9). */
export function refusal(error: unknown, log: Log): Error {
  const known = asAppError(error);
  if (known.code === 'INTERNAL_ERROR') log.error({ err: error }, 'A socket could not be authenticated.');
  const message = refusals[known.code] ?? 'Invalid token';
  // Those that are known to pass say when; a database that does not answer has its own wait (see below).
  const wait = known.code === 'RATE_LIMITED' && { retryAfter: known.retryAfter };
  return Object.assign(new Error(message), {
    data: { code: known.code, error: known.message, ...wait, ...known.extra },
  });
}

/** Whether access was really refused; false if the database did not answer. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.status < 500;
}

/**
 * How long returning clients wait for a database that is unavailable: longer than Socket.IO's connect timeout of 45 s,
 * after which the client tries again. After a refusal stock clients do not reconnect by themselves.
 */
export const returningMs = 60_000;
/** The same for new clients, whose users can react to the refusal. */
const newcomerMs = 2000;
const betweenMs = { first: 250, most: 2000 };

/** How long a client waits. One that was connected before has the private id of that session. */
export function retryTimeOf({ handshake }: Pick<ParleySocket, 'handshake'>): number {
  return typeof handshake.auth.pid === 'string' ? returningMs : newcomerMs;
}

/**
 * Retries while the database is unavailable.
 * @param isWanted whether anyone still waits for the result
 */
export async function retryWhileUnavailable<T>(
  attempt: () => Promise<T>,
  ms: number,
  isWanted = () => true,
): Promise<T> {
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
