import type { Page } from '../delivery/catch-up.ts';
import type { Membership } from './membership.ts';
import { isRefusal } from './refusal.ts';
import type { JoinedRoom, ParleySocket } from './socket.ts';

/** A room that a client asks to enter, once the actor was found to have access to it. */
interface Wanted {
  name: string;
  place: Omit<JoinedRoom, 'from'>;
  /** The client's own position; undefined: from now on. */
  after: number | undefined;
}

/**
 * Lets a client enter a room that it asked for: after a pending return to it, and only if access still holds then.
 * @param entered called in the turn in which it enters; its ack leaves there, so that no live event can come before it
 * @param recheck checks access once more. @throws AppError
 * @returns the page; with `hasMore` the client is not in the room yet
 */
export async function enter(
  membership: Membership,
  socket: ParleySocket,
  { name, place, after }: Wanted,
  entered: (page: Page) => void,
  recheck: () => Promise<unknown>,
): Promise<Page> {
  // One that is evicted while it waits is in no room yet, and must not be given what was said since.
  if (await membership.returns.over(socket, name, after)) await recheck();
  const page = await membership.join(socket, name, place, after, entered);
  if (page.hasMore) return page;
  // An eviction that came before the room was entered did not include it.
  await recheck().catch((error) => {
    if (isRefusal(error)) membership.leave(socket, name);
    // Its client was told that it is in the room, and comes back to it.
    else socket.conn.close(true);
    throw error;
  });
  return page;
}
