import type { Socket as TcpSocket } from 'node:net';
import { Socket } from 'socket.io';
import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import type { Packet } from 'socket.io-parser';
import { payloadWithoutInviteCodes } from '../access/invite-codes.ts';
import type { LogEntry } from '../cluster/entry.ts';
import { followersOf, type Room, threadRoom } from '../contract/rooms.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Delivered, Sink } from '../delivery/live-stream.ts';
import { type ReadyPacket, readyEvent } from './encoder.ts';
import type { FeedDeps, Feeds } from './feed.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';
import { subscriptionOf } from './subscription.ts';

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

const nobody: ReadonlySet<string> = new Set();

/** The form in which some sockets get deliveries: with offsets or without, with invite codes or without. */
interface Kind {
  takesOffsets: boolean;
  seesCodes: boolean;
}

/** Some deliveries in the form for one kind of client. */
interface Parcel {
  packets: ReadyPacket[];
  /** Their frames, built when the first socket can be written to directly. */
  bytes: Buffer | undefined;
  /** Sockets that take the normal path. */
  others: Set<string>;
}

/** The end of the delivery: writes log entries to the sockets of this node, and to no other node. */
export class Outlet implements Sink {
  private readonly namespace: ReturnType<ParleyServer['of']>;
  private readonly nodeId: string;
  private readonly access: FeedDeps['access'];
  private readonly delivery: Delivery;
  private readonly feeds: Feeds;

  constructor(io: ParleyServer, nodeId: string, access: FeedDeps['access'], delivery: Delivery, feeds: Feeds) {
    this.namespace = io.of('/');
    this.nodeId = nodeId;
    this.access = access;
    this.delivery = delivery;
    this.feeds = feeds;
  }

  hasSockets(room: Room): boolean {
    const { rooms } = this.namespace.adapter;
    return rooms.has(room) || rooms.has(followersOf(room)) || this.feeds.has(room);
  }

  emit(deliveries: Delivered[]): void {
    for (const { room, besides, deliveries: some } of this.byRooms(deliveries)) {
      const sockets = this.socketsIn(besides === null ? [room] : [room, besides]);
      if (sockets.length > 0) {
        this.write(some, sockets);
        this.delivery.counters.onFanOut(some.length, sockets.length);
      }
      for (const feed of this.feeds.get(room) ?? []) void feed.wake();
    }
  }

  /** Writes to one socket only. */
  emitTo(socket: ParleySocket, deliveries: Delivered[]): void {
    // A disconnected socket may share its id with its client's new socket, which gets this separately.
    if (socket.connected) this.write(deliveries, [socket]);
  }

  /** The same for events that it missed; recovery knows them by their own delivery numbers. */
  replay(socket: ParleySocket, entries: LogEntry[]): void {
    const deliveries = entries.map((entry) => ({ entry, mark: this.delivery.nextMark() }));
    for (const { entry, mark } of deliveries) socket.data.replayed.push({ mark, room: entry.room, seq: entry.seq });
    if (deliveries.length > 0) this.emitTo(socket, deliveries);
  }

  /** The offset that events carry as their last argument; a client returns with the last one it got. */
  offset(mark: number): string {
    return `${this.nodeId}.${mark}`;
  }

  /** Groups consecutive deliveries that go to the same rooms. */
  private byRooms(deliveries: Delivered[]): Group[] {
    const groups: Group[] = [];
    for (const delivery of deliveries) {
      const { room } = delivery.entry;
      const besides = this.besides(delivery.entry);
      const last = groups.at(-1);
      if (last?.room === room && last.besides === besides) last.deliveries.push(delivery);
      else groups.push({ room, besides, deliveries: [delivery] });
    }
    return groups;
  }

  /** A further room that gets an event: sockets that are not in the event's room, but only in its thread. */
  private besides(entry: LogEntry): string | null {
    if (entry.threadId !== null) return threadRoom(entry.threadId);
    return this.access.isEnd(entry) ? followersOf(entry.room) : null;
  }

  private socketsIn(rooms: string[]): ParleySocket[] {
    const members = rooms.map((room) => this.namespace.adapter.rooms.get(room) ?? nobody);
    const [ids = nobody] = members.length > 1 ? [new Set(members.flatMap((some) => [...some]))] : members;
    const sockets: ParleySocket[] = [];
    for (const id of ids) {
      const socket = this.namespace.sockets.get(id);
      if (socket && !isFedIn(socket, rooms)) sockets.push(socket);
    }
    return sockets;
  }

  private write(deliveries: Delivered[], sockets: ParleySocket[]): void {
    const parcels: (Parcel | undefined)[] = [];
    for (const socket of sockets) {
      const { takesOffsets, actor } = socket.data;
      const seesCodes = actor.personalTokenId === null;
      const kind = (takesOffsets ? 1 : 0) + (seesCodes ? 2 : 0);
      parcels[kind] ??= this.pack(deliveries, { takesOffsets, seesCodes });
      const parcel = parcels[kind];
      const connection = directConnection(socket);
      if (!connection) {
        parcel.others.add(socket.id);
        continue;
      }
      parcel.bytes ??= frames(parcel.packets.map((packet) => packet.text));
      connection.write(parcel.bytes);
    }
    for (const parcel of parcels) if (parcel && parcel.others.size > 0) this.broadcast(parcel.packets, parcel.others);
    this.noteEnds(deliveries, sockets);
  }

  /** Sockets leave a room at its end: one that is cut off before the end has arrived gets it again when it returns. */
  private noteEnds(deliveries: Delivered[], sockets: ParleySocket[]): void {
    for (const { entry, mark } of deliveries) {
      if (!this.access.isEnd(entry)) continue;
      for (const { data } of sockets) data.replayed.push({ mark, room: entry.room, seq: entry.seq, isEnd: true });
    }
  }

  private pack(deliveries: Delivered[], { takesOffsets, seesCodes }: Kind): Parcel {
    const packets = deliveries.map(({ entry, mark }) => {
      const json = seesCodes ? entry.json : payloadWithoutInviteCodes(entry);
      return readyEvent(entry.event, json, takesOffsets ? this.offset(mark) : null);
    });
    return { packets, bytes: undefined, others: new Set() };
  }

  /** The in-memory broadcast, even if the adapter is the Redis one: other nodes deliver by themselves. */
  private broadcast(packets: ReadyPacket[], rooms: Set<string>): void {
    const options: BroadcastOptions = { rooms, except: new Set() };
    for (const packet of packets) Adapter.prototype.broadcast.call(this.namespace.adapter, packet, options);
  }
}

/** Bots that may get all events of a room are in it too, for events outside the log; their feeds send them its log. */
function isFedIn(socket: ParleySocket, rooms: string[]): boolean {
  if (!socket.data.actor.user.isBot) return false;
  return rooms.some((room) => subscriptionOf(socket, room)?.feed);
}

interface Group {
  room: Room;
  besides: string | null;
  deliveries: Delivered[];
}
