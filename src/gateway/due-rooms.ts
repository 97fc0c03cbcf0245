import type { Page } from '../delivery/catch-up.ts';
import type { Room } from '../delivery/entry.ts';
import type { ParleySocket, RecoveredRoom } from './socket.ts';

/** Notes that a socket is to get a room's events from `after` on, of which it was told. */
export function dueRoom({ data }: ParleySocket, room: Room, after: number): RecoveredRoom {
  data.due ??= new Map();
  const due = data.due.get(room) ?? { name: room, joined: { room, serverId: null, from: after }, after };
  data.due.set(room, due);
  return due;
}

/** It is in there now, or will not be. */
export function noLongerDue({ data }: ParleySocket, name: string): void {
  data.due?.delete(name);
  // There are many sockets, and they are hardly ever on their way anywhere.
  if (data.due?.size === 0) data.due = null;
}

/** Whoever is cut off on the way goes on behind the pieces that were sent; those are known as replays. */
export function progressOf(room: RecoveredRoom | undefined): (piece: Page) => void {
  return ({ seq }) => {
    if (room) room.after = seq;
  };
}
