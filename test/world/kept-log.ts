import pino from 'pino';
import type { Log } from '../../src/infrastructure/log.ts';

/** A log that is looked into. */
export function keptLog(): { log: Log; messages: string[] } {
  const messages: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void messages.push(JSON.parse(line).msg) });
  return { log, messages };
}
