import { randomUUID } from 'node:crypto';
import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '../contract/error-codes.ts';
import { AppError } from '../contract/errors.ts';

/** Node's parser errors with a code of their own; any other one means a malformed request. */
const reasons: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};
/** How long a client that is still sending has to read why it was refused. */
const lingerMs = 1000;

/** Answers malformed requests in the usual error format (contract §2), and ends the connection. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  refuseConnection(socket, new AppError(reasons[error.code ?? ''] ?? 'MALFORMED_REQUEST'));
}

/** Answers any request on a connection with an error, and ends the connection. */
export function refuseConnection(socket: Duplex, error: AppError): void {
  // The client would take the error for a part of the response that is being sent.
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  // Further input is read and ignored: closing with unread data would reset the connection and lose the response.
  socket.removeAllListeners('data');
  socket.on('data', () => {});
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
  socket.end(answerTo(error));
}

/** Whether a response to an earlier request is being sent; the HTTP server keeps it on the socket meanwhile. */
function isAnswering(socket: Duplex): boolean {
  return '_httpMessage' in socket && socket._httpMessage instanceof ServerResponse && socket._httpMessage.headersSent;
}

function answerTo(error: AppError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(error.body(requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    ...(error.retryAfter === undefined ? [] : [`Retry-After: ${error.retryAfter}`]),
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
