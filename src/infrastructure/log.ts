import pino from 'pino';
import { AppError } from '../errors.ts';

export type Log = pino.Logger;

/**
 * Places in a log record that hold secrets or personal data. Whole bodies are never logged; this is the net
 * below that rule, for objects that someone logs in passing.
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
 * PostgreSQL puts the row at fault into the details of its errors, and MikroORM those into the message. That
 * something is away for a while is told by its sentence and its cause: nobody has to look for it in the code.
 */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { detail: _detail, previous: _previous, stack, ...told } = pino.stdSerializers.err(error);
  const clean = (text: string) => text.replace(/( - detail: )[^\n]*/g, '$1[redacted]');
  const message = clean(told.message);
  const isOutage = error instanceof AppError && error.status === 503;
  return isOutage ? { ...told, message } : { ...told, message, stack: clean(stack) };
}
