import { AppError } from '../errors.ts';
import type { JoinedRoom, ParleySocket } from './socket.ts';

type Place = Omit<JoinedRoom, 'from'>;

/** A socket on its way into a room. */
export interface Arrival {
  readonly isTurnedAway: boolean;
  /** @throws AppError CHANNEL_NOT_FOUND */
  requireWelcome(): void;
  end(): void;
}

/**
 * Sockets that are on their way into a room and not in it yet: what they missed is being read and sent, which takes as
 * long as they take to read it. Whoever loses access meanwhile is in no room to be put out of, and gets no more of it.
 */
export class Arrivals {
  private readonly places = new Map<ParleySocket, Set<{ place: Place; isTurnedAway: boolean }>>();

  begin(socket: ParleySocket, place: Place): Arrival {
    const state = { place, isTurnedAway: false };
    const ofSocket = this.places.get(socket);
    if (ofSocket) ofSocket.add(state);
    else this.places.set(socket, new Set([state]));
    return {
      get isTurnedAway() {
        return state.isTurnedAway;
      },
      requireWelcome: () => {
        if (state.isTurnedAway) throw new AppError('CHANNEL_NOT_FOUND');
      },
      end: () => {
        const others = this.places.get(socket);
        others?.delete(state);
        if (others?.size === 0) this.places.delete(socket);
      },
    };
  }

  /** Turns a socket away from all places that it lost. */
  turnAway(socket: ParleySocket, isLost: (place: Place) => boolean): void {
    for (const state of this.places.get(socket) ?? []) if (isLost(state.place)) state.isTurnedAway = true;
  }
}
