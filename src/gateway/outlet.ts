import type { LogEntry } from '../cluster/entry.ts';
import { followersOf, type Room, threadRoom } from '../contract/rooms.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Delivered, Sink } from '../delivery/live-stream.ts';
import { Broadcasts } from './broadcasts.ts';
import type { FeedDeps, Feeds } from './feed.ts';
import type { ParleyServer, ParleySocket } from './socket.ts';

interface OutletDeps {
  nodeId: string;
  access: FeedDeps['access'];
  delivery: Delivery;
  settings: { sockets: { writesAtOnce: number } };
}

/** The end of the delivery: writes log entries to the sockets of this node, and to no other node. */
export class Outlet implements Sink {
  private readonly namespace: ReturnType<ParleyServer['of']>;
  private readonly nodeId: string;
  private readonly access: FeedDeps['access'];
  private readonly delivery: Delivery;
  private readonly feeds: Feeds;
  private readonly broadcasts: Broadcasts;

  constructor(io: ParleyServer, { nodeId, access, delivery, settings }: OutletDeps, feeds: Feeds) {
    this.namespace = io.of('/');
    this.nodeId = nodeId;
    this.access = access;
    this.delivery = delivery;
    this.feeds = feeds;
    const { writesAtOnce } = settings.sockets;
    const offset = (mark: number) => this.offset(mark);
    this.broadcasts = new Broadcasts(this.namespace, access, delivery.counters, offset, writesAtOnce);
  }

  hasSockets(room: Room): boolean {
    const { rooms } = this.namespace.adapter;
    return rooms.has(room) || rooms.has(followersOf(room)) || this.feeds.has(room);
  }

  /** To small rooms at once; the rest of a room follows in the next turns of the event loop (see Broadcasts). */
  emit(deliveries: Delivered[]): void {
    for (const { room, besides, deliveries: some } of this.byRooms(deliveries)) {
      this.broadcasts.add(room, besides, some);
      for (const feed of this.feeds.get(room) ?? []) void feed.wake();
    }
  }

  sentMark(last: number): number {
    return this.broadcasts.firstUnsent === undefined ? last : this.broadcasts.firstUnsent - 1;
  }

  /**
   * Writes to a socket what rooms that it is in have emitted, and what has not reached it yet. To be called before it is
   * sent anything that says how far it is in a room, or that carries an offset.
   */
  bringUpToDate(socket: ParleySocket): void {
    this.broadcasts.serve(socket);
  }

  /** Resolves when every socket in a room has what the room has emitted. */
  settled(room: Room): Promise<void> {
    return this.broadcasts.settled(room);
  }

  /** Writes to one socket only. */
  emitTo(socket: ParleySocket, deliveries: Delivered[]): void {
    // A disconnected socket may share its id with its client's new socket, which gets this separately.
    if (socket.connected) this.broadcasts.writeTo(socket, deliveries);
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
}

interface Group {
  room: Room;
  besides: string | null;
  deliveries: Delivered[];
}
