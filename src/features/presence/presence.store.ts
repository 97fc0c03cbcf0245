import type { Status, StatusChange } from '../../contract/presence.ts';

/** What a store publishes to every node. */
export interface StoreListener {
  /** Statuses that changed, in the same order on all nodes. */
  changed(changes: StatusChange[]): void;
  /** Someone signed off: no grace period for them. */
  hurried(userId: string): void;
}

/** A user that this node reports as connected, and the status that the user chose. */
export interface Arrival {
  userId: string;
  wish: Status;
}

/** How long a chosen status overrides that of an arrival, which was read before: no arrival takes longer. */
export const wishFreshMs = 30_000;

/** Stores who is connected to which node. It calls the listener of every node, including this one. */
export interface PresenceStore {
  listen(listener: StoreListener): void;
  /** Whether it is reachable now. */
  readonly ready: boolean;
  /** Users who have sockets on this node from now on. */
  arrive(arrivals: Arrival[]): Promise<void>;
  /** Users who have none here any more. */
  leave(userIds: string[]): Promise<void>;
  /** The status that a user chose, on any node. */
  wish(userId: string, status: Status): Promise<void>;
  /** A heartbeat that is valid for `ms` without a socket. */
  beat(arrival: Arrival, ms: number): Promise<void>;
  /** Withdraws a heartbeat, and ends the user's grace period on all nodes. */
  hurry(userId: string): Promise<void>;
}
