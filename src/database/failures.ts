import { AppError } from '../contract/errors.ts';

/**
 * SQLSTATE classes and codes that mean "not usable now" rather than "wrong". The last two: a file cannot be read, a table is
 * gone, for example because a backup is being restored.
 */
const unavailableStates = /^(08|53|55000|57P0[1-5]|57014|25006|25P03|58|42P01)/;
/** The codes of refused access: a password was changed, a right revoked, or a backup is being restored. */
const refusedStates = /^(28|3D|42501)/;
/** The codes in the last line: this machine or process has no more descriptors or ports. */
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

/** The SQLSTATE or system code at the root of an error, however it was wrapped. */
export function databaseCode(error: unknown): string | undefined {
  for (const at of chainOf(error)) if ('code' in at && typeof at.code === 'string') return at.code;
  return undefined;
}

/** The name of the violated constraint. Unlike the message it does not depend on PostgreSQL's language. */
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

/** A deadlock, a serialization failure, and a lock timeout. */
const conflicts = new Set(['40P01', '40001', '55P03']);

/** Whether waiting for a lock timed out. */
export function isLockTimeout(error: unknown): boolean {
  return databaseCode(error) === '55P03';
}

/** Whether a retry may succeed: the transaction conflicted with another. */
export function isConflict(error: unknown): boolean {
  return conflicts.has(databaseCode(error) ?? '');
}

/** Whether `error` only means that an earlier statement of the transaction failed. */
export function isAftermath(error: unknown): boolean {
  return databaseCode(error) === '25P02';
}

/** Whether `error` is a unique violation; `constraint` narrows it to one. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (databaseCode(error) !== '23505') return false;
  return constraint === undefined || brokenRule(error) === constraint;
}

/** Whether a value cannot be kept as what its column is for: trying again does not help. */
export function isUnfitValue(error: unknown): boolean {
  return databaseCode(error)?.startsWith('22') ?? false;
}

/** Whether rows were found that do not keep a check constraint, or do not belong into a partition. */
export function isCheckViolation(error: unknown): boolean {
  return databaseCode(error) === '23514';
}

/** Whether `error` means that a referenced row is gone. */
export function isForeignKeyViolation(error: unknown): boolean {
  return databaseCode(error) === '23503';
}

/**
 * The name endings of foreign keys to an owner that others may delete meanwhile. Only new rows can violate them, since
 * existing ones are deleted with their owner.
 */
const owner = /_(server|workspace|agent)_id_foreign$/;

/**
 * Turns "the owner of the new row was deleted just now" into the error it would have been a moment later; returns other
 * errors as they are.
 */
function asMissing(error: unknown): unknown {
  if (!isForeignKeyViolation(error)) return error;
  const [, thing] = owner.exec(brokenRule(error) ?? '') ?? [];
  if (thing === undefined) return error;
  return new AppError(thing === 'agent' ? 'AGENT_NOT_FOUND' : 'SERVER_NOT_FOUND', { cause: error });
}

/**
 * Turns "PostgreSQL is away" in all its spellings into DATABASE_UNAVAILABLE, and a missing owner of a new row into its 404;
 * returns other errors as they are.
 */
export function asDatabaseError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  const code = databaseCode(error);
  // MikroORM replaces the errors of its connections, and keeps their codes and causes.
  if (code === 'SERVER_BUSY') return new AppError(code, { cause: error });
  if (!isUnavailable(error) && code !== 'DATABASE_UNAVAILABLE') return asMissing(error);
  return new AppError('DATABASE_UNAVAILABLE', { cause: error });
}

/** Errors of transactions whose COMMIT had not been sent. */
const undone = new WeakSet<object>();

/** The same for a transaction whose COMMIT had not been sent, so that nothing of it can have been committed. */
export function asUndone(error: unknown): unknown {
  const known = asDatabaseError(error);
  if (known instanceof AppError) undone.add(known);
  return known;
}

/** Whether `error` broke a transaction that can be run again on another connection. */
export function mayRunAgain(error: unknown): boolean {
  return error instanceof AppError && undone.has(error) && isDisconnected(error);
}

/** Whether a statement timed out. That may be the statement's own fault. */
export function isTimeout(error: unknown): boolean {
  return databaseCode(error instanceof AppError ? error.cause : error) === '57014';
}

/** Whether `error` is about PostgreSQL or the connection to it, not about the statement. */
export function isUnavailable(error: unknown): boolean {
  const code = databaseCode(error) ?? '';
  const message = error instanceof Error ? error.message : '';
  return networkCodes.has(code) || unavailableStates.test(code) || isRefused(error) || driverMessages.test(message);
}

/** Whether the connection to PostgreSQL broke, or none could be made: a retry may work a moment later. */
export function isDisconnected(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  const code = databaseCode(cause) ?? '';
  const message = cause instanceof Error ? cause.message : '';
  return networkCodes.has(code) || /^(08|57P0[123])/.test(code) || driverMessages.test(message);
}

/** Whether no connection of a pool became free in time: all were in use, or none could be made. */
export function isWaitedInVain(error: unknown): boolean {
  return error instanceof Error && /timeout exceeded when trying to connect/.test(error.message);
}

/** Whether PostgreSQL is up but read-only: a standby, or a primary about to become one. */
export function takesNoWrites(error: unknown): boolean {
  return databaseCode(error instanceof AppError ? error.cause : error) === '25006';
}

/** Whether PostgreSQL is up but refuses these credentials, this database, or an action of the role in it. */
export function isRefused(error: unknown): boolean {
  return refusedStates.test(databaseCode(error) ?? '');
}

/** PostgreSQL's message if the role lacks a right, without the statement that MikroORM puts before it. */
export function missingRight(error: unknown): string | undefined {
  return [...chainOf(error)].findLast((at) => 'code' in at && at.code === '42501')?.message;
}
