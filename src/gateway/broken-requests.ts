import { randomUUID } from 'node:crypto';
import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '../errors.ts';

/** Why Node's parser gives a connection up; whatever else it says is a request that cannot be understood. */
const reasons: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};
/** So long whoever is still sending may take until it has read why it was refused. */
const lingerMs = 1000;

/** Answers what is no request in the form of all errors (contract §2), and ends the connection. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  // What was said of another answer would be taken for a part of it.
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  // Nobody understands what still comes. It is taken all the same: closed over, it would take the answer with it.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(answerTo(reasons[error.code ?? ''] ?? 'MALFORMED_REQUEST'));
}

/** Whether an answer to an earlier request is on its way; the HTTP server keeps it there while that is so. */
function isAnswering(socket: Duplex): boolean {
  return '_httpMessage' in socket && socket._httpMessage instanceof ServerResponse && socket._httpMessage.headersSent;
}

function answerTo(code: ErrorCode): string {
  const requestId = randomUUID();
  const error = new AppError(code);
  const body = JSON.stringify(error.body(requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
