import type { Chore } from '../cluster/chores.ts';
import type { Change } from '../delivery/changes.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Handler } from '../gateway/handler.ts';
import type { Work } from '../jobs/job.kind.ts';
import type { Route } from '../rest/route.ts';

/** The sockets of this node, as modules connect with them. */
export interface Sockets {
  gateway: Gateway;
  /** Ends the sockets in a room, after an event that says why, and the long polls of the same caller. */
  disconnect: Gateway['disconnect'];
}

/**
 * A feature, built by one function from the context and the services of the features below it. `node/modules.ts` lists
 * all of them in order.
 */
export interface Module {
  /** What features above it, or the node, use. Their names are unique among all features. */
  services?: object;
  routes?: Route[];
  /** The handlers of the events that clients send. */
  handlers?(gateway: Gateway): Handler[];
  /** How the kinds of jobs that its changes add are run. */
  jobs?: Work[];
  /** Adds the jobs that nodes of an earlier version did not; once for each node, as it starts. */
  leftBehind?(change: Change): Promise<void>;
  /** Background work that any node may do from time to time. */
  chores?: Chore[];
  /** Connects it with the sockets of this node, before the node listens. */
  connect?(sockets: Sockets): void;
  /** Begins its own background work on a node; a command does not call it. */
  start?(): void;
  /** Ends what it began, whether it was started or not. */
  close?(): void | Promise<void>;
}
