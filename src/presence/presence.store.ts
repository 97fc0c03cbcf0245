import type { Status, StatusChange } from './status.ts';

/** What a store tells every node. */
export interface StoreListener {
  /** Statuses that changed, in the same order on all nodes. */
  changed(changes: StatusChange[]): void;
  /** Someone said good-bye: no grace for them. */
  hurried(userId: string): void;
}

/** Someone of whom this node says that it is there, and how the user wants to be seen. */
export interface Arrival {
  userId: string;
  wish: Status;
}

/** For so long a wish is newer than what an arrival says, which was read before: nobody takes longer to say it. */
export const wishFreshMs = 30_000;

/** Where it is kept who is connected to which node. What it tells of goes to the listener of every node, this one too. */
export interface PresenceStore {
  listen(listener: StoreListener): void;
  /** Whether it can be spoken to now. */
  readonly ready: boolean;
  /** Users who have sockets on this node from now on. */
  arrive(arrivals: Arrival[]): Promise<void>;
  /** Users who have none here any more. */
  leave(userIds: string[]): Promise<void>;
  /** How a user wants to be seen, on whichever node. */
  wish(userId: string, status: Status): Promise<void>;
  /** A sign of life that holds for `ms` without a socket. */
  beat(arrival: Arrival, ms: number): Promise<void>;
  /** Takes back a sign of life, and ends the grace of the user on all nodes. */
  hurry(userId: string): Promise<void>;
  /** Everyone who is not offline. */
  all(): Promise<StatusChange[]>;
}
