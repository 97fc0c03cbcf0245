import { AppError } from '../contract/errors.ts';
import { type Room, userRoom } from '../contract/rooms.ts';
import type { JoinedRoom, ParleySocket } from './socket.ts';

type Place = Omit<JoinedRoom, 'from'>;

/** A socket that is entering a room. */
class Arrival {
  readonly place: Place;
  isTurnedAway = false;

  constructor(place: Place) {
    this.place = place;
  }

  /** @throws AppError CHANNEL_NOT_FOUND */
  requireWelcome(): void {
    if (this.isTurnedAway) throw new AppError('CHANNEL_NOT_FOUND');
  }
}

/**
 * Sockets that are entering a room but not in it yet: missed events are being read and sent, at the pace at which they
 * read. One that loses access meanwhile is in no room to be evicted from, so it is turned away here.
 */
export class Arrivals {
  private readonly ofSocket = new Map<ParleySocket, Set<Arrival>>();
  /** Sockets that are connected but not in their own rooms yet; they may join others meanwhile. */
  private readonly outside = new Set<ParleySocket>();

  /** Runs `work`, which puts a socket into its own room. */
  async bringIn<T>(socket: ParleySocket, work: () => Promise<T>): Promise<T> {
    this.outside.add(socket);
    try {
      return await work();
    } finally {
      this.outside.delete(socket);
    }
  }

  /** The sockets whose own room this is, and that are not in it yet. */
  incoming(own: string): ParleySocket[] {
    return [...this.outside].filter(({ data }) => userRoom(data.actor.userId) === own);
  }

  /**
   * Runs `work`, which puts a socket into a room, if access still holds. The check begins once evictions can find the
   * arriving socket: the check sees an earlier eviction, and a later one turns the socket away, whatever the check
   * returns.
   * @throws AppError CHANNEL_NOT_FOUND, or what `check` throws
   */
  async admit<T>(
    socket: ParleySocket,
    place: Place,
    check: () => Promise<unknown>,
    work: () => Promise<T>,
  ): Promise<T> {
    const arrival = this.begin(socket, place);
    try {
      await check();
      arrival.requireWelcome();
      return await work();
    } finally {
      this.end(socket, arrival);
    }
  }

  begin(socket: ParleySocket, place: Place): Arrival {
    const arrival = new Arrival(place);
    const others = this.ofSocket.get(socket);
    if (others) others.add(arrival);
    else this.ofSocket.set(socket, new Set([arrival]));
    return arrival;
  }

  end(socket: ParleySocket, arrival: Arrival): void {
    const others = this.ofSocket.get(socket);
    others?.delete(arrival);
    if (others?.size === 0) this.ofSocket.delete(socket);
  }

  /** The rooms that a socket is entering. */
  placesOf(socket: ParleySocket): Place[] {
    return [...(this.ofSocket.get(socket) ?? [])].map(({ place }) => place);
  }

  /** Turns a socket away from all rooms that it lost. */
  turnAway(socket: ParleySocket, isLost: (place: Place) => boolean): void {
    for (const arrival of this.ofSocket.get(socket) ?? []) if (isLost(arrival.place)) arrival.isTurnedAway = true;
  }
}

/** Whether a place is one of these rooms, or with `rooms: null` one of the server. */
export function isAmong(serverId: string | null, rooms: Room[] | null): (place: Omit<JoinedRoom, 'from'>) => boolean {
  return (place) => (rooms ? rooms.includes(place.room) : serverId !== null && place.serverId === serverId);
}
