import { ServerResponse } from 'node:http';
import type { ParleySocket } from './socket.ts';
import { isPython } from './wire.ts';

/** Answers as Engine.IO does for an unknown session: the client reconnects. */
export function answerUnknownSession(answer: ServerResponse): void {
  const body = JSON.stringify({ code: 1, message: 'Session ID unknown' });
  answer.writeHead(400, { 'content-type': 'application/json' }).end(body);
}

/** python-engineio takes more packets in one response for an attack: it disconnects, and gets the same ones again. */
const packetsForPython = 16;

/** Makes long polling work for all clients: some misunderstand what Engine.IO sends in it. */
export function adaptPolling(connection: ParleySocket['conn']): void {
  if (connection.transport.name !== 'polling') return;
  endWithoutFarewell(connection);
  if (isPython(connection.request)) answerInPieces(connection);
}

/**
 * When this server closes a long-polling connection, lets it end as if the node had died: the next poll is answered
 * with "unknown session", after which all clients reconnect. Engine.IO's own packet says "close", which some clients
 * (python-engineio) take as final: they never reconnect. Clients that must stay away learn it from Socket.IO before.
 */
function endWithoutFarewell({ transport }: ParleySocket['conn']): void {
  // Engine.IO has no public API for how its transports close.
  const close: unknown = Reflect.get(transport, 'doClose');
  if (typeof close !== 'function') return;
  Reflect.set(transport, 'doClose', (done: () => void) => {
    answerPoll(transport);
    // There is nothing more to send to this client, so its next request is not awaited.
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

/** Packets beyond the limit of one response wait for the next request. */
function answerInPieces(connection: ParleySocket['conn']): void {
  const { transport } = connection;
  const send = transport.send.bind(transport);
  transport.send = (packets) => {
    const waiting: unknown = Reflect.get(connection, 'writeBuffer');
    if (Array.isArray(waiting)) waiting.unshift(...packets.splice(packetsForPython));
    send(packets);
  };
}
