import type { Room } from '../contract/rooms.ts';
import type { Page } from '../delivery/catch-up.ts';
import type { ParleySocket, RecoveredRoom } from './socket.ts';

/** Notes that a socket, to which a room was announced, is to get its events from `after` on. */
export function dueRoom({ data }: ParleySocket, room: Room, after: number): RecoveredRoom {
  data.due ??= new Map();
  const due = data.due.get(room) ?? { name: room, joined: { room, serverId: null, from: after }, after };
  data.due.set(room, due);
  return due;
}

/** The socket is in the room now, or will not be. */
export function noLongerDue({ data }: ParleySocket, name: string): void {
  data.due?.delete(name);
  // There are many sockets, and hardly any is entering a room.
  if (data.due?.size === 0) data.due = null;
}

/** A client that is cut off midway resumes after the pieces that were sent; those are recorded as replays. */
export function progressOf(room: RecoveredRoom | undefined): (piece: Page) => void {
  return ({ seq }) => {
    if (room) room.after = seq;
  };
}
