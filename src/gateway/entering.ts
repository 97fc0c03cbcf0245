import type { Page } from '../delivery/catch-up.ts';
import type { Membership } from './membership.ts';
import type { JoinedRoom, ParleySocket } from './socket.ts';

/** A room that a client asks to enter. */
interface Wanted {
  name: string;
  place: Omit<JoinedRoom, 'from'>;
  /** The client's own position; undefined: from now on. */
  after: number | undefined;
}

/**
 * Lets a client enter a room that it asked for: after a pending return to it, and only if access holds then.
 * @param entered called in the turn in which it enters, to send the ack before any live event
 * @param check checks access. @throws AppError
 * @returns the page; with `hasMore` the client is not in the room yet
 */
export async function enter(
  membership: Membership,
  socket: ParleySocket,
  { name, place, after }: Wanted,
  entered: (page: Page) => void,
  check: () => Promise<unknown>,
): Promise<Page> {
  await membership.restores.over(socket, name, after);
  return membership.arrivals.admit(socket, place, check, () => membership.join(socket, name, place, after, entered));
}
