import { ServerResponse } from 'node:http';
import type { ParleySocket } from './socket.ts';

/** As Engine.IO answers for a session that is gone. */
const unknownSession = JSON.stringify({ code: 1, message: 'Session ID unknown' });

/**
 * Has a connection by long polling end, when this server ends it, as it would with its node: the next answer is that there
 * is no such session, after which all clients connect anew. Engine.IO's own packet for it says "close", and some clients
 * (python-engineio) take that for a farewell and never come back. Whoever is to stay away is told so by Socket.IO before.
 */
export function endWithoutFarewell({ transport }: ParleySocket['conn']): void {
  // Engine.IO has no public way to how its transports close.
  const close: unknown = Reflect.get(transport, 'doClose');
  if (transport.name !== 'polling' || typeof close !== 'function') return;
  Reflect.set(transport, 'doClose', (done: () => void) => {
    answerPoll(transport);
    // Nothing more is to be said to this client, so its next request is not waited for.
    transport.discard();
    close.call(transport, done);
  });
}

function answerPoll(transport: ParleySocket['conn']['transport']): void {
  const answer: unknown = Reflect.get(transport, 'res');
  if (!transport.writable || !(answer instanceof ServerResponse)) return;
  transport.writable = false;
  answer.writeHead(400, { 'content-type': 'application/json' }).end(unknownSession);
}
