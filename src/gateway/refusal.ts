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
