import { payloadWithoutInviteCodes } from '../access/invite-codes.ts';
import { followersOf, type Room } from '../contract/rooms.ts';
import type { Delivered } from '../delivery/live-stream.ts';
import { type ReadyPacket, readyEvent } from './encoder.ts';
import type { ParleySocket } from './socket.ts';
import { liveOf, type Subscription, subscriptionOf } from './subscription.ts';

/** The form in which some sockets get deliveries: with offsets or without, with invite codes or without. */
export interface Kind {
  takesOffsets: boolean;
  seesCodes: boolean;
}

/** Some deliveries in the form for one kind of client. */
export interface Parcel {
  packets: ReadyPacket[];
  /** Their frames, built when the first socket can be written to directly. */
  bytes: Buffer | undefined;
  /** Sockets that take the normal path. */
  others: Set<string>;
}

/** Deliveries to the same rooms, oldest first, which not all sockets in them have got yet. One text for all sockets. */
export class Round<Pass> {
  readonly room: Room;
  readonly besides: string | null;
  readonly deliveries: Delivered[];
  /** By kind, and by which delivery is the first. */
  readonly parcels = new Map<number, Parcel>();
  /** At its end everybody has it; null: that has not begun. */
  pass: Pass | null = null;
  /** To how many it was given. */
  sockets = 0;

  constructor(room: Room, besides: string | null, deliveries: Delivered[]) {
    this.room = room;
    this.besides = besides;
    this.deliveries = [...deliveries];
  }

  isFor(room: Room, besides: string | null): boolean {
    return this.room === room && this.besides === besides;
  }

  /** Adds what follows. To be called before a pass begins, or those that it has visited would not get it. */
  join(deliveries: Delivered[]): void {
    this.deliveries.push(...deliveries);
    this.parcels.clear();
  }

  /**
   * Takes note that a socket is given these deliveries.
   * @returns the first that it has not got; -1: there is none, or it is in none of the rooms
   */
  take(socket: ParleySocket): number {
    const { room, besides, deliveries } = this;
    const last = deliveries.at(-1)?.entry.seq ?? 0;
    const own = subscriptionOf(socket, room);
    const others = besides === null ? [] : othersIn(socket, room, besides);
    let reached = own?.phase === 'live' ? own.reached : last;
    for (const one of others) reached = Math.min(reached, one.reached);
    if (reached >= last) return -1;
    // Bots that may get all events of a room are in it too, for events outside the log; their feeds send them its log.
    if (socket.data.actor.user.isBot && (own?.feed || others.some(({ feed }) => feed))) return -1;
    for (const one of own ? [own, ...others] : others) one.reached = Math.max(one.reached, last);
    this.sockets++;
    return deliveries.findIndex(({ entry }) => entry.seq > reached);
  }

  parcel(from: number, kind: Kind, offset: (mark: number) => string): Parcel {
    const key = from * 4 + (kind.takesOffsets ? 1 : 0) + (kind.seesCodes ? 2 : 0);
    const known = this.parcels.get(key);
    if (known) return known;
    const parcel = pack(this.deliveries.slice(from), kind, offset);
    this.parcels.set(key, parcel);
    return parcel;
  }
}

/** @param offset what clients take as the offset of a delivery number */
export function pack(
  deliveries: Delivered[],
  { takesOffsets, seesCodes }: Kind,
  offset: (mark: number) => string,
): Parcel {
  const packets = deliveries.map(({ entry, mark }) => {
    const json = seesCodes ? entry.json : payloadWithoutInviteCodes(entry);
    return readyEvent(entry.event, json, takesOffsets ? offset(mark) : null);
  });
  return { packets, bytes: undefined, others: new Set() };
}

export function kindOf({ data: { takesOffsets, actor } }: ParleySocket): Kind {
  return { takesOffsets, seesCodes: actor.personalTokenId === null };
}

/** What else of a room a socket is in that gets an event: the thread `besides`, or for the end of a channel any thread. */
function othersIn(socket: ParleySocket, room: Room, besides: string): Subscription[] {
  const isMeant = besides === followersOf(room) ? (one: Subscription) => one.name !== room : isNamed(besides);
  return liveOf(socket).filter((one) => one.room === room && isMeant(one));
}

const isNamed = (name: string) => (one: Subscription) => one.name === name;
