import type { LogEntry } from '../cluster/entry.ts';
import type { Room } from '../contract/rooms.ts';

/** An event with the node's running number for its delivery. */
export interface Delivered {
  entry: LogEntry;
  mark: number;
}

/** The sockets of this node, as the delivery sees them. */
export interface Sink {
  /** Sends events, in this order, to the sockets of their room on this node. */
  emit(deliveries: Delivered[]): void;
  hasSockets(room: Room): boolean;
}
