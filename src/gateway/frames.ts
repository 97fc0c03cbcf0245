import type { Socket as TcpSocket } from 'node:net';
import type { ParleySocket } from './socket.ts';

/**
 * The short way from a room to its sockets: a WebSocket frame is built once and written straight to each TCP
 * connection, and the events of one batch go out in one write. Most of what a delivery costs is the path through
 * Engine.IO, and one system call for each piece (see bench).
 *
 * It is only taken where it is the same thing: an open, uncompressed WebSocket with nothing buffered before it and a
 * peer that keeps up. Everything else goes the ordinary way. It leans on insides of Engine.IO and ws; where they are not
 * as expected `directConnection` finds nothing, and a test says so.
 */

/** Beyond this a peer does not keep up, and its events wait in Engine.IO's buffer, where they are counted. */
const maxPendingBytes = 64 * 1024;

const textFrame = 0x81;
/** Engine.IO's packet type "message". */
const message = '4';

/** The WebSocket frames (RFC 6455, from a server: not masked) of Socket.IO packets, one behind the other. */
export function frames(packets: string[]): Buffer {
  return Buffer.concat(packets.flatMap((packet) => frame(Buffer.from(message + packet))));
}

function frame(payload: Buffer): [Buffer, Buffer] {
  const { length } = payload;
  if (length < 126) return [Buffer.from([textFrame, length]), payload];
  if (length < 65_536) return [Buffer.from([textFrame, 126, length >> 8, length & 0xff]), payload];
  const header = Buffer.alloc(10);
  header[0] = textFrame;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return [header, payload];
}

/** The TCP connection that frames for `socket` may be written to right now; undefined: take the ordinary way. */
export function directConnection(socket: ParleySocket): TcpSocket | undefined {
  const { conn } = socket;
  if (!socket.connected || conn.readyState !== 'open' || conn.transport.name !== 'websocket') return undefined;
  const waiting: unknown = Reflect.get(conn, 'writeBuffer');
  if (!Array.isArray(waiting) || waiting.length > 0) return undefined;
  const webSocket: unknown = Reflect.get(conn.transport, 'socket');
  if (!isOpenWebSocket(webSocket)) return undefined;
  const tcp = webSocket._socket;
  return tcp.writable && tcp.writableLength <= maxPendingBytes ? tcp : undefined;
}

/** Sends one socket something that is not in the log. */
export function tellOne(socket: ParleySocket, event: string, ...data: unknown[]): void {
  const connection = directConnection(socket);
  if (connection) connection.write(frames([`2${JSON.stringify([event, ...data])}`]));
  else socket.emit(event, ...data);
}

/** What is written to a socket from here to the end of this turn leaves in one piece. */
export function gather(socket: ParleySocket): void {
  const connection = directConnection(socket);
  if (!connection) return;
  connection.cork();
  setImmediate(() => connection.uncork());
}

interface OpenWebSocket {
  _socket: TcpSocket;
}

/** Open, without compression (which would hold frames back), and with the fields that are needed here. */
function isOpenWebSocket(value: unknown): value is OpenWebSocket {
  if (typeof value !== 'object' || value === null) return false;
  const isOpen = Reflect.get(value, 'readyState') === 1 && Reflect.get(value, 'extensions') === '';
  const tcp: unknown = Reflect.get(value, '_socket');
  return isOpen && typeof tcp === 'object' && tcp !== null && typeof Reflect.get(tcp, 'writableLength') === 'number';
}
