import { AppError } from '../errors.ts';
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
 * Sockets that are entering a room but not in it yet: what they missed is being read and sent, which takes as long as they
 * take to read it. One that loses access meanwhile is in no room to be evicted from, so it is turned away here.
 */
export class Arrivals {
  private readonly ofSocket = new Map<ParleySocket, Set<Arrival>>();

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

  /** The sockets that are entering a room. */
  into(room: string): ParleySocket[] {
    return [...this.ofSocket].flatMap(([socket, some]) =>
      [...some].some(({ place }) => place.room === room) ? socket : [],
    );
  }

  /** Turns a socket away from all rooms that it lost. */
  turnAway(socket: ParleySocket, isLost: (place: Place) => boolean): void {
    for (const arrival of this.ofSocket.get(socket) ?? []) if (isLost(arrival.place)) arrival.isTurnedAway = true;
  }
}
