import type { Socket as TcpSocket } from 'node:net';
import { Socket } from 'socket.io';
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

/** What lies below a socket whose transport is an uncompressed WebSocket, which it stays until its end. */
interface Wire {
  engine: { readyState: unknown; writeBuffer: unknown[] };
  webSocket: { readyState: unknown };
  tcp: TcpSocket;
}

/** Looked up once per socket: an event for many is written many times. */
const wires = new WeakMap<ParleySocket, Wire>();

/** The TCP connection that frames for `socket` may be written to right now; undefined: take the ordinary way. */
export function directConnection(socket: ParleySocket): TcpSocket | undefined {
  const wire = wires.get(socket) ?? findWire(socket);
  if (!wire || !socket.connected) return undefined;
  const { engine, webSocket, tcp } = wire;
  const isOpen = engine.readyState === 'open' && webSocket.readyState === 1 && tcp.writable;
  return isOpen && engine.writeBuffer.length === 0 && tcp.writableLength <= maxPendingBytes ? tcp : undefined;
}

/** Sends one socket something that is not in the log. */
export function tellOne(socket: ParleySocket, event: string, ...data: unknown[]): void {
  const connection = directConnection(socket);
  if (connection) connection.write(frames([`2${JSON.stringify([event, ...data])}`]));
  else socket.emit(event, ...data);
}

let answersDirectly = false;

/**
 * Has the answers to events go the short way too; they are objects without bytes in them. For all sockets of the process
 * at once, so that none has to carry a method of its own.
 */
export function answerDirectly(): void {
  // Socket.IO makes the `ack` of an event by this method, from the event's id.
  const ordinary: unknown = Reflect.get(Socket.prototype, 'ack');
  if (answersDirectly || typeof ordinary !== 'function') return;
  answersDirectly = true;
  Reflect.set(Socket.prototype, 'ack', function ack(this: ParleySocket, id: number): (answer: object) => void {
    let isAnswered = false;
    return (answer) => {
      if (isAnswered) return;
      isAnswered = true;
      const connection = directConnection(this);
      if (connection) connection.write(frames([`3${id}${JSON.stringify([answer])}`]));
      else ordinary.call(this, id)(answer);
    };
  });
}

/** What is written to a socket from here to the end of this turn leaves in one piece. */
export function gather(socket: ParleySocket): void {
  const connection = directConnection(socket);
  if (!connection) return;
  connection.cork();
  setImmediate(() => connection.uncork());
}

function findWire(socket: ParleySocket): Wire | undefined {
  const engine: unknown = socket.conn;
  const { transport } = socket.conn;
  if (transport.name !== 'websocket' || !isEngine(engine)) return undefined;
  const webSocket: unknown = Reflect.get(transport, 'socket');
  if (!isPlainWebSocket(webSocket)) return undefined;
  const wire = { engine, webSocket, tcp: webSocket._socket };
  wires.set(socket, wire);
  return wire;
}

function isEngine(value: unknown): value is Wire['engine'] {
  return typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'writeBuffer'));
}

/** With the fields that are needed here, and without compression, which would hold frames back. */
function isPlainWebSocket(value: unknown): value is { readyState: unknown; _socket: TcpSocket } {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'extensions') !== '') return false;
  const tcp: unknown = Reflect.get(value, '_socket');
  return typeof tcp === 'object' && tcp !== null && typeof Reflect.get(tcp, 'writableLength') === 'number';
}
