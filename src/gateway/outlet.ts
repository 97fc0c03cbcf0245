import { Adapter, type BroadcastOptions } from 'socket.io-adapter';
import { payloadWithoutInviteCodes } from '../access/invite-codes.ts';
import type { LogEntry } from '../cluster/entry.ts';
import { followersOf, type Room, threadRoom } from '../contract/rooms.ts';
import type { Delivered, Sink } from '../delivery/sink.ts';
import { type ReadyPacket, readyEvent } from './encoder.ts';
import { directConnection, frames } from './frames.ts';
import type { RoomAccess } from './membership.ts';
import { isFed, type ParleyServer, type ParleySocket } from './socket.ts';

const nobody: ReadonlySet<string> = new Set();

/** What some sockets get of deliveries: with offsets or without, with invite codes or without. */
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
  private readonly access: Pick<RoomAccess, 'isEnd'>;
  private readonly onFanOut: (events: number, sockets: number) => void;
  private feeds: { has(room: Room): boolean; wake(room: Room): void } = { has: () => false, wake: () => {} };

  /** @param onFanOut is called with the number of sockets to which some events were written at once */
  constructor(
    io: ParleyServer,
    nodeId: string,
    access: Pick<RoomAccess, 'isEnd'>,
    onFanOut: (events: number, sockets: number) => void,
  ) {
    this.namespace = io.of('/');
    this.nodeId = nodeId;
    this.access = access;
    this.onFanOut = onFanOut;
  }

  /** Bots are fed one by one; their feeds are only woken. */
  feedWith(feeds: { has(room: Room): boolean; wake(room: Room): void }): void {
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
        this.onFanOut(some.length, sockets.length);
      }
      this.feeds.wake(room);
    }
  }

  /** Writes to one socket only. */
  emitTo(socket: ParleySocket, deliveries: Delivered[]): void {
    // A disconnected socket may share its id with the one its client came back with, which is sent this on its own.
    if (socket.connected) this.write(deliveries, [socket]);
  }

  /** The offset that goes with events as their last argument; a client brings back the last one it got. */
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

  /** Sockets leave a room at its end: one that is cut off before that has arrived is told again when it comes back. */
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

/** Bots that may hear all of a room are in it too, for what is not in the log; its log they get from their feeds. */
function isFedIn(socket: ParleySocket, rooms: string[]): boolean {
  if (!socket.data.actor.user.isBot) return false;
  return rooms.some((room) => {
    const joined = socket.data.joined.get(room);
    return joined !== undefined && isFed(joined);
  });
}

interface Group {
  room: Room;
  besides: string | null;
  deliveries: Delivered[];
}
