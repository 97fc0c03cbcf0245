import type { Actor } from '../access/actor.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { type LogEntry, type Room, userRoom } from '../delivery/entry.ts';

/** The rooms that sockets are put into without joining. */
export interface OwnRooms {
  /** On connect. */
  roomsOnConnect(actor: Actor): Promise<Room[]>;
  /** The room that an event of the user's own room opens, if any, and from which position; undefined: from now on. */
  opened(entry: LogEntry): { room: Room; after: number | undefined } | undefined;
}

/** Of a socket that is in its own rooms, of which there are many: they share it. */
export const nowhere: ReadonlyMap<Room, number> = new Map();

/**
 * Where the rooms of a socket's own stand before its client hears that it is connected. A client reads its lists then:
 * what happens from that word on it must be told, also while the socket is still on its way into these rooms.
 */
export async function originsOf(actor: Actor, ownRooms: OwnRooms, delivery: Delivery): Promise<Map<Room, number>> {
  const origins = new Map<Room, number>();
  const note = async (room: Room) => {
    const stream = await delivery.openFresh(room);
    if (stream) origins.set(room, stream.position);
  };
  // Its own room first: it tells of those that are opened after they were asked for.
  await note(userRoom(actor.userId));
  await Promise.all((await ownRooms.roomsOnConnect(actor)).map(note));
  return origins;
}
