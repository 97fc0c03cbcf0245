import type { LogEntry } from '../cluster/entry.ts';
import type { Actor } from '../contract/actor.ts';
import { type Room, userRoom } from '../contract/rooms.ts';
import type { Delivery } from '../delivery/delivery.ts';

/** The rooms that sockets enter without joining. */
export interface OwnRooms {
  /** On connect. */
  roomsOnConnect(actor: Actor): Promise<Room[]>;
  /** The room that an event of the user's own room opens, if any, and from which position; undefined: from now on. */
  opened(entry: LogEntry): { room: Room; after: number | undefined } | undefined;
}

/** For the many sockets that are in their own rooms already. */
export const nowhere: ReadonlyMap<Room, number> = new Map();

/**
 * The positions of a socket's own rooms before its client learns that it is connected. The client then reads its lists,
 * so what happens from that moment on must be sent to it, even while the socket is still entering these rooms. A
 * position may lie a little behind the log, where this node has not received the last events yet: then they are sent
 * too, which costs less than a query for each connection.
 */
export async function startPositionsOf(
  actor: Actor,
  ownRooms: OwnRooms,
  delivery: Delivery,
): Promise<Map<Room, number>> {
  const positions = new Map<Room, number>();
  const note = async (room: Room) => {
    const stream = await delivery.open(room);
    if (stream) positions.set(room, stream.position);
  };
  // Its own room first: it announces rooms that are opened after the query for the others.
  await note(userRoom(actor.userId));
  await Promise.all((await ownRooms.roomsOnConnect(actor)).map(note));
  return positions;
}
