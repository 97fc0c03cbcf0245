import { ServerResponse } from 'node:http';
import { isPython } from './python.ts';
import type { ParleySocket } from './socket.ts';

/** Answers as Engine.IO does for a session that is gone: its client connects anew. */
export function answerUnknownSession(answer: ServerResponse): void {
  const body = JSON.stringify({ code: 1, message: 'Session ID unknown' });
  answer.writeHead(400, { 'content-type': 'application/json' }).end(body);
}

/** More of them in one answer python-engineio takes for an attack: it breaks off, and comes back to the same. */
const packetsForPython = 16;

/** Has long polling do for all clients: what Engine.IO says in it, some of them take for something else. */
export function adaptPolling(connection: ParleySocket['conn']): void {
  if (connection.transport.name !== 'polling') return;
  endWithoutFarewell(connection);
  if (isPython(connection.request)) answerInPieces(connection);
}

/**
 * Has a connection by long polling end, when this server ends it, as it would with its node: the next answer is that there
 * is no such session, after which all clients connect anew. Engine.IO's own packet for it says "close", and some clients
 * (python-engineio) take that for a farewell and never come back. Whoever is to stay away is told so by Socket.IO before.
 */
function endWithoutFarewell({ transport }: ParleySocket['conn']): void {
  // Engine.IO has no public way to how its transports close.
  const close: unknown = Reflect.get(transport, 'doClose');
  if (typeof close !== 'function') return;
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
  answerUnknownSession(answer);
}

/** What is too much for one answer waits for the next request with what comes after it. */
function answerInPieces(connection: ParleySocket['conn']): void {
  const { transport } = connection;
  const send = transport.send.bind(transport);
  transport.send = (packets) => {
    const waiting: unknown = Reflect.get(connection, 'writeBuffer');
    if (Array.isArray(waiting)) waiting.unshift(...packets.splice(packetsForPython));
    send(packets);
  };
}
