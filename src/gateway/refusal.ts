import { setTimeout as delay } from 'node:timers/promises';
import { asAppError, type ErrorCode } from '../errors.ts';
import type { Log } from '../infrastructure/log.ts';

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

/** How long a newcomer waits for a database that is away: a restart of it, not an outage. */
const patienceMs = 10_000;
const betweenMs = 500;

/**
 * Tries again while the database is away for a moment: after a refusal stock clients do not come back by themselves.
 * @param isWanted whether somebody still waits for what becomes of it
 */
export async function patiently<T>(attempt: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  for (const until = performance.now() + patienceMs; ; await delay(betweenMs * (0.5 + Math.random()))) {
    try {
      return await attempt();
    } catch (error) {
      if (asAppError(error).code !== 'DATABASE_UNAVAILABLE' || performance.now() > until || !isWanted()) throw error;
    }
  }
}
