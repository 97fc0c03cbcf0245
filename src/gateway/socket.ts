import type { Server, Socket } from 'socket.io';
import type { Actor } from '../access/actor.ts';
import type { Room } from '../delivery/entry.ts';

type Events = Record<string, (...args: unknown[]) => void>;

/** A room that a socket is in, and from which event on. */
export interface JoinedRoom {
  /** The log it follows: the channel's, for a thread too. */
  room: Room;
  serverId: string | null;
  /** Everything up to here the client was given otherwise; the live flow began behind it. */
  from: number;
}

/** A room that a bot follows: not by the broadcast, but by a feed of its own (see feeds). */
export interface FedRoom extends JoinedRoom {
  /** Everything up to here has been given to it, or kept from it. */
  cursor: number;
}

export function isFed(joined: JoinedRoom): joined is FedRoom {
  return 'cursor' in joined;
}

/** An event that was sent to this socket alone, to make up for what it had missed. */
export interface Replayed {
  mark: number;
  room: Room;
  seq: number;
}

/** What a client asked to be restored with (see recovery). */
export interface Recovery {
  userId: string;
  rooms: RecoveredRoom[];
  watched: string[];
}

/** A room to come back to, by its name; `after`: where to go on. */
export interface RecoveredRoom {
  name: string;
  joined: JoinedRoom;
  after: number;
}

export interface SocketData {
  actor: Actor;
  joined: Map<string, JoinedRoom>;
  replayed: Replayed[];
  /** Delivery numbers up to here have surely reached the client: they were sent before a ping that it answered. */
  sureMark: number;
  /** The node's last delivery before the last ping. */
  pingMark: number;
  /** The node's last delivery before this connection. */
  firstMark: number;
  recovery: Recovery | null;
  /** Rooms that it was told of, by their names, and is on its way into: whoever is cut off before comes back to them too. */
  due: Map<string, RecoveredRoom> | null;
  /** Users whom it asked to follow, over connections that were lost; it has to be let into their rooms again. */
  watched: string[];
  /** Its events carry an offset (see offsets); without one there is no coming back by Socket.IO's own means. */
  takesOffsets: boolean;
  /** It is in the rooms that are its own without asking, or goes on for one that was: there is something to come back to. */
  isWhole: boolean;
  /** The offset that the client brought when it connected, whether it was recovered or not; null: none. */
  cameWith: string | null;
  /** It missed something that is gone for good: its client has to begin anew. */
  unrecoverable: boolean;
}

export type ParleyServer = Server<Events, Events, Events, SocketData>;
export type ParleySocket = Socket<Events, Events, Events, SocketData>;
