import type { Socket as TcpSocket } from 'node:net';
import { Socket } from 'socket.io';
import type { Packet } from 'socket.io-parser';
import { readyEvent } from './encoder.ts';
import type { ParleySocket } from './socket.ts';

/**
 * The fast path from a room to its sockets: a WebSocket frame is built once and written straight to each TCP connection,
 * and the events of one batch go out in one write. Most of the cost of a delivery is the path through Engine.IO, and one
 * system call for each piece (see bench).
 *
 * It is taken only where it is equivalent: an open, uncompressed WebSocket with nothing buffered before it and a peer that
 * keeps up. Everything else takes the normal path. It relies on internals of Engine.IO and ws; if they are not as expected
 * `directConnection` returns undefined, and a test fails.
 */

/** Beyond this a peer is not keeping up, and its events wait in Engine.IO's buffer, where they are counted. */
const maxPendingBytes = 64 * 1024;

const textFrame = 0x81;
/** Engine.IO's packet type "message". */
const message = '4';

/** The WebSocket frames (RFC 6455, unmasked as from a server) of Socket.IO packets, concatenated. */
export function frames(packets: string[]): Buffer {
  const lengths = packets.map((packet) => message.length + Buffer.byteLength(packet));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerSize(length) + length, 0));
  let at = 0;
  packets.forEach((packet, index) => {
    at = writeHeader(bytes, at, lengths[index] ?? 0);
    at += bytes.write(message, at);
    at += bytes.write(packet, at);
  });
  return bytes;
}

const headerSize = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10);

/** @returns where the payload begins */
function writeHeader(bytes: Buffer, at: number, length: number): number {
  bytes[at] = textFrame;
  if (length < 126) return bytes.writeUInt8(length, at + 1);
  if (length < 65_536) return bytes.writeUInt16BE(length, bytes.writeUInt8(126, at + 1));
  return bytes.writeBigUInt64BE(BigInt(length), bytes.writeUInt8(127, at + 1));
}

/** The connection below a socket whose transport is an uncompressed WebSocket; it then never changes its transport. */
interface Wire {
  engine: { readyState: unknown; writeBuffer: unknown[] };
  webSocket: { readyState: unknown };
  tcp: TcpSocket;
}

/** Looked up once per socket: an event for many is written many times. */
const wires = new WeakMap<ParleySocket, Wire>();

/** The TCP connection that frames for `socket` may be written to right now; undefined: take the normal path. */
export function directConnection(socket: ParleySocket): TcpSocket | undefined {
  const wire = wires.get(socket) ?? findWire(socket);
  if (!wire || !socket.connected) return undefined;
  const { engine, webSocket, tcp } = wire;
  const isOpen = engine.readyState === 'open' && webSocket.readyState === 1 && tcp.writable;
  return isOpen && engine.writeBuffer.length === 0 && tcp.writableLength <= maxPendingBytes ? tcp : undefined;
}

/** Whether it is known that this process holds nothing for a socket; cheap, since all sockets are asked all the time. */
export function holdsNothingFor(socket: ParleySocket): boolean {
  const wire = wires.get(socket);
  return wire !== undefined && wire.engine.writeBuffer.length === 0 && wire.tcp.writableLength === 0;
}

/**
 * Sends one socket an event outside the log. A disconnected socket gets nothing: its id may by now be that of its
 * client's new socket, here or on another node.
 * @param json the payload
 * @param offset null: sent without one
 */
export function emitTo(socket: ParleySocket, event: string, json: string, offset: string | null = null): void {
  const connection = directConnection(socket);
  if (connection) connection.write(frames([readyEvent(event, json, offset).text]));
  else if (socket.connected) socket.emit(event, JSON.parse(json), ...(offset === null ? [] : [offset]));
}

let packetsGoDirectly = false;

type OwnPacket = Omit<Packet, 'nsp'>;

/**
 * Makes packets that Socket.IO creates for one socket take the fast path too: the one that confirms the connection, and acks.
 * Those of the main namespace contain no binary data. It is done for all sockets of the process at once, so that none needs
 * a method of its own.
 */
export function sendPacketsDirectly(): void {
  const ordinary: unknown = Reflect.get(Socket.prototype, 'packet');
  if (packetsGoDirectly || typeof ordinary !== 'function') return;
  packetsGoDirectly = true;
  Reflect.set(Socket.prototype, 'packet', function packet(this: ParleySocket, given: OwnPacket, options: object) {
    const connection = this.nsp.name === '/' ? directConnection(this) : undefined;
    if (connection) connection.write(frames([textOf(given)]));
    else ordinary.call(this, given, options);
  });
}

/** A packet of the main namespace as text (Socket.IO protocol 5). */
function textOf({ type, id, data }: OwnPacket): string {
  return `${type}${id ?? ''}${data === undefined ? '' : JSON.stringify(data)}`;
}

/** Everything written to a socket from here to the end of this turn leaves in one write. */
export function gather(socket: ParleySocket): void {
  const connection = directConnection(socket);
  if (!connection) return;
  connection.cork();
  setImmediate(() => connection.uncork());
}

function findWire(socket: ParleySocket): Wire | undefined {
  const engine: unknown = socket.conn;
  const webSocket: unknown = Reflect.get(socket.conn.transport, 'socket');
  if (!isEngine(engine) || !isPlainWebSocket(webSocket)) return undefined;
  const wire = { engine, webSocket, tcp: webSocket._socket };
  wires.set(socket, wire);
  return wire;
}

function isEngine(value: unknown): value is Wire['engine'] {
  return typeof value === 'object' && value !== null && Array.isArray(Reflect.get(value, 'writeBuffer'));
}

/** Has the fields needed here, and no compression, which would hold frames back. */
function isPlainWebSocket(value: unknown): value is { readyState: unknown; _socket: TcpSocket } {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'extensions') !== '') return false;
  const tcp: unknown = Reflect.get(value, '_socket');
  return typeof tcp === 'object' && tcp !== null && typeof Reflect.get(tcp, 'writableLength') === 'number';
}
