import type { EventEmitter } from 'node:events';
import pino, { type LoggerOptions } from 'pino';
import { AppError } from '../contract/errors.ts';
import { within } from './within.ts';

export type Log = pino.Logger;

/**
 * Paths in log records that hold secrets or personal data. Whole bodies are never logged; this is the safety net for
 * objects that are logged in passing.
 */
const secretKeys = [
  'token',
  'accessToken',
  'refreshToken',
  'deviceToken',
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
  const destination = terminal
    ? pino.transport({ target: 'pino-pretty', options: { translateTime: 'SYS:HH:MM:ss' } })
    : pino.destination();
  const settings: LoggerOptions = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: shown },
    redact: { paths: redacted, censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
  };
  const log = pino(settings, destination);
  destinations.set(log, destination);
  return log;
}

const destinations = new WeakMap<Log, EventEmitter & { end(): void }>();
const lastLinesMs = 1000;

/**
 * Ends the process once its last lines are written, in order. At `process.exit` pino would write them in a loop that
 * never ends if the pipe's reader is gone; if a reader holds the pipe and does not read, it would wait for ever.
 */
export async function exit(log: Log, code: number): Promise<never> {
  // A line after the end would throw, and end the process as a failure.
  log.level = 'silent';
  const destination = destinations.get(log);
  const written = new Promise<void>((resolve) => {
    for (const event of ['close', 'error']) destination?.once(event, () => resolve());
    destination?.end();
  });
  if (!(await within(written, lastLinesMs))) process.kill(process.pid, 'SIGKILL');
  return process.exit(code);
}

/**
 * PostgreSQL puts the offending row into its errors' details, and MikroORM those into the message. A temporary outage
 * is logged with its message and cause: it needs no stack trace.
 */
function shown(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { detail: _detail, previous: _previous, stack, ...told } = pino.stdSerializers.err(error);
  const clean = (text: string) => text.replace(/( - detail: )[^\n]*/g, '$1[redacted]');
  const message = clean(told.message);
  const isOutage = error instanceof AppError && error.status === 503;
  return isOutage ? { ...told, message } : { ...told, message, stack: clean(stack) };
}
