import { AppError } from '../errors.ts';

/** SQLSTATE classes and codes that mean "not reachable now" rather than "wrong". */
const unavailableStates = /^(08|53|55000|57P0[1-5]|57014|25006|25P03)/;
/** Those by which PostgreSQL lets somebody in no more: a password was changed, or a backup is being put in place. */
const refusedStates = /^(28|3D)/;
/** The last line: this machine, or this process, has no more to connect with. */
const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EHOSTDOWN',
  'EAI_FAIL',
  'ENOENT',
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS'],
]);
const driverMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|not queryable|Cannot use a pool after/i;

/** The SQLSTATE or system code at the root of an error, whoever wrapped it. */
export function databaseCode(error: unknown): string | undefined {
  for (const at of chainOf(error)) if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}

/** The name of the rule that was broken. It is always the same, where the sentence is in PostgreSQL's language. */
function brokenRule(error: unknown): string | undefined {
  for (const at of chainOf(error)) if ('constraint' in at && typeof at.constraint === 'string') return at.constraint;
  return undefined;
}

function* chainOf(error: unknown): Iterable<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause ?? previousOf(at), depth++) yield at;
}

function previousOf(error: Error): unknown {
  return 'previous' in error ? error.previous : undefined;
}

/** A deadlock, a serialization conflict, and a lock that was waited for too long. */
const conflicts = new Set(['40P01', '40001', '55P03']);

/** Whether a lock was waited for too long. */
export function isLockTimeout(error: unknown): boolean {
  return databaseCode(error) === '55P03';
}

/** Whether another try may succeed: transactions stood in each other's way. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(databaseCode(error) ?? '');
}

/** Whether `error` only says that something else in the same transaction has failed before. */
export function isAftermath(error: unknown): boolean {
  return databaseCode(error) === '25P02';
}

/** Whether `error` says that a unique rule was broken; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (databaseCode(error) !== '23505') return false;
  return constraint === undefined || brokenRule(error) === constraint;
}

/** Whether `error` says that a row referred to is gone. */
export function isForeignKeyViolation(error: unknown): boolean {
  return databaseCode(error) === '23503';
}

/**
 * How the names of rules end by which rows belong to something that others may delete meanwhile: only what is new can
 * break them, since what belongs to something goes with it.
 */
const owner = /_(server|workspace|agent)_id_foreign$/;

/**
 * Turns "what this is to belong to has been deleted just now" into what it would have been a moment later; other errors
 * stay what they are.
 */
function asMissing(error: unknown): unknown {
  if (!isForeignKeyViolation(error)) return error;
  const [, thing] = owner.exec(brokenRule(error) ?? '') ?? [];
  if (thing === undefined) return error;
  return new AppError(thing === 'agent' ? 'AGENT_NOT_FOUND' : 'SERVER_NOT_FOUND', { cause: error });
}

/**
 * Turns "PostgreSQL is away" in all its spellings into DATABASE_UNAVAILABLE, and what was to belong to something that is
 * gone into its 404; other errors stay what they are.
 */
export function asDatabaseError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (!isUnavailable(error)) return asMissing(error);
  return new AppError('DATABASE_UNAVAILABLE', { cause: error });
}

/** Whether a statement was ended because it took too long. That may be the statement's own fault. */
export function isTimeout(error: unknown): boolean {
  return databaseCode(error instanceof AppError ? error.cause : error) === '57014';
}

/** Whether `error` tells of PostgreSQL, or of the way to it, and not of what was asked. */
export function isUnavailable(error: unknown): boolean {
  const code = databaseCode(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  return networkCodes.has(code) || unavailableStates.test(code) || isRefused(error) || driverMessages.test(message);
}

/** Whether PostgreSQL is there and lets nobody change anything: a standby, or a primary on its way to become one. */
export function takesNoWrites(error: unknown): boolean {
  return databaseCode(error instanceof AppError ? error.cause : error) === '25006';
}

/** Whether PostgreSQL is there and lets nobody in with these settings. */
export function isRefused(error: unknown): boolean {
  return refusedStates.test(databaseCode(error) ?? '');
}
