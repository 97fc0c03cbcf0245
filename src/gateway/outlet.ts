import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import type { Sink } from '../delivery/delivery.ts';
import { type LogEntry, type Room, threadRoom } from '../delivery/entry.ts';
import { readyEvent } from './encoder.ts';

/** The end of the delivery: writes log entries to the sockets of this node, and to no other node. */
export class Outlet implements Sink {
  private readonly adapter: Adapter;
  private readonly nodeId: string;

  constructor(adapter: Adapter, nodeId: string) {
    this.adapter = adapter;
    this.nodeId = nodeId;
  }

  hasSockets(room: Room): boolean {
    return this.adapter.rooms.has(room);
  }

  emit(entry: LogEntry, mark: number): void {
    const rooms = entry.threadId ? [entry.room, threadRoom(entry.threadId)] : [entry.room];
    if (rooms.some((room) => this.adapter.rooms.has(room))) this.write(entry, mark, rooms);
  }

  /** Writes to one socket only. */
  emitTo(socketId: string, entry: LogEntry, mark: number): void {
    this.write(entry, mark, [socketId]);
  }

  /** The offset that goes with every event as its last argument; a client brings back the last one it got. */
  offset(mark: number): string {
    return `${this.nodeId}.${mark}`;
  }

  private write(entry: LogEntry, mark: number, rooms: string[]): void {
    const packet = readyEvent(entry.event, entry.json, this.offset(mark));
    // The in-memory broadcast, also where the adapter is the Redis one: other nodes have roads of their own.
    const options: BroadcastOptions = { rooms: new Set(rooms), except: new Set() };
    Adapter.prototype.broadcast.call(this.adapter, packet, options);
  }
}
