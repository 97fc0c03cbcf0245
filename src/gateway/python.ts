import type { IncomingMessage } from 'node:http';

/** How python-engineio says when it asks; with WebSocket there may be nothing else by which to know it. */
const secondsWithFraction = /[?&]t=\d{10}\.\d+(&|$)/;

/** Whether a client is python-socketio, by the request with which it began. */
export function isPython({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  return secondsWithFraction.test(url) || /^python\b/i.test(headers['user-agent'] ?? '');
}
