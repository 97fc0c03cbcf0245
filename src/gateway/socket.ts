import type { Server, Socket } from 'socket.io';
import type { Actor } from '../contract/actor.ts';
import { type Room, watchRoomsOf } from '../contract/rooms.ts';
import type { Subscription } from './subscription.ts';

type Events = Record<string, (...args: unknown[]) => void>;

/** An event that was sent to this socket alone, to catch up, or that ended the room, which the socket then left. */
export interface Replayed {
  mark: number;
  room: Room;
  seq: number;
  isEnd?: boolean;
}

/** The state that a recovered client gets back (see recovery). */
export interface Recovery {
  userId: string;
  rooms: RecoveredRoom[];
  watched: string[];
  crowds: string[] | null;
  /** Everything committed before this time, as `performance.now()` has it, was looked for in these rooms. */
  since: number;
}

/** A room to return to, by its name; `after`: the position to continue from. */
export interface RecoveredRoom {
  name: string;
  room: Room;
  serverId: string | null;
  after: number;
}

/** What a socket returns to when it connects (see return). */
export interface Start {
  recovery: Recovery | null;
  /** The rooms it enters without joining, and from which event on: their positions before it was connected. */
  positions: ReadonlyMap<Room, number>;
  /** When its client came, as `performance.now()` has it: it gets at least what was committed before. */
  since: number;
}

export interface SocketData {
  actor: Actor;
  /** By the name of the room. */
  subscriptions: Map<string, Subscription>;
  /** Until it is connected. */
  start: Start | null;
  replayed: Replayed[];
  /** Deliveries up to this number have certainly reached the client: they were sent before a ping that it answered. */
  sureMark: number;
  /** The node's last delivery before the last ping. */
  pingMark: number;
  /** The node's last delivery before this connection. */
  firstMark: number;
  /** The delivery number of the last ack of a join that had events in it: it carries no offset. */
  joinMark: number;
  /** Users whose presence it followed on earlier connections; it has to be let into their rooms again. */
  watched: string[];
  /** The rooms of large servers' presence that it was in on them; null: nodes of earlier versions knew none. */
  crowds: string[] | null;
  /** Whether its events carry an offset (see offsets); without one Socket.IO's own recovery is not possible. */
  takesOffsets: boolean;
  /** It is in the rooms it belongs to without joining, or continues a socket that was: it has something to recover. */
  isWhole: boolean;
  /** The offset that the client brought when it connected, whether it was recovered or not; null: none. */
  cameWith: string | null;
  /** It missed something that is gone for good: its client has to start afresh. */
  unrecoverable: boolean;
  /** It ignored too many refusals (see SocketLimits): everything else it sent is dropped. */
  isCutOff?: boolean;
}

export type ParleyServer = Server<Events, Events, Events, SocketData>;
export type ParleySocket = Socket<Events, Events, Events, SocketData>;

/** A socket whose user left a server no longer follows the presence of people known from there. */
export function leaveWatches(socket: ParleySocket, serverId: string): void {
  for (const room of [...socket.rooms]) if (room.startsWith(watchRoomsOf(serverId))) void socket.leave(room);
}
