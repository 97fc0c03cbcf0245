import pino from 'pino';
import { AppError } from '../errors.ts';

export type Log = pino.Logger;

/**
 * Paths in log records that hold secrets or personal data. Whole bodies are never logged; this is the safety net for
 * objects that are logged in passing.
 */
const secretKeys = [
  'token',
  'accessToken',
  'refreshToken',
  'idToken',
  'password',
  'oldPassword',
  'newPassword',
  'confirmPassword',
  'code',
  'inviteCode',
  'authorization',
  'cookie',
  'email',
];
const redacted = secretKeys.flatMap((key) => [`body.${key}`, `headers.${key}`, `payload.${key}`, `auth.${key}`, key]);

/** JSON lines in production and in pipes, readable lines on a terminal. */
export function createLog(level: string): Log {
  const terminal = process.stdout.isTTY && process.env.NODE_ENV !== 'production';
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shown },
    redact: { paths: redacted, censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
    ...(terminal ? { transport: { target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss' } } } : {}),
  });
}

/**
 * PostgreSQL puts the offending row into the details of its errors, and MikroORM those into the message. A temporary outage
 * is told by its message and cause: it needs no stack trace.
 */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { detail: _detail, previous: _previous, stack, ...told } = pino.stdSerializers.err(error);
  const clean = (text: string) => text.replace(/( - detail: )[^\n]*/g, '$1[redacted]');
  const message = clean(told.message);
  const isOutage = error instanceof AppError && error.status === 503;
  return isOutage ? { ...told, message } : { ...told, message, stack: clean(stack) };
}
