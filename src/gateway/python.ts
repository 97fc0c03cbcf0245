import type { IncomingMessage } from 'node:http';

/** The timestamp parameter of python-engineio; with WebSocket there may be nothing else to recognise it by. */
const secondsWithFraction = /[?&]t=\d{10}\.\d+(&|$)/;

/** Whether a client is python-socketio, judged by its first request. */
export function isPython({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return secondsWithFraction.test(url) || /^python\b/i.test(headers['user-agent'] ?? '');
}
