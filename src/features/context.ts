import type { Capabilities } from '../access/capabilities.ts';
import type { ChannelAccess } from '../access/channel.access.ts';
import type { DirectAccess } from '../access/direct.access.ts';
import type { PolicyAccess } from '../access/policy.access.ts';
import type { ServerAccess } from '../access/server.access.ts';
import type { ThreadAccess } from '../access/thread.access.ts';
import type { Caches } from '../cluster/caches.ts';
import type { Chores } from '../cluster/chores.ts';
import type { Control } from '../cluster/control.ts';
import type { Operations } from '../cluster/operations.ts';
import type { Database } from '../database/database.ts';
import type { CatchUp } from '../delivery/catch-up.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { Ephemeral } from '../delivery/ephemeral.ts';
import type { Log } from '../infrastructure/log.ts';
import type { Mailer } from '../infrastructure/mail.ts';
import type { Outgoing } from '../infrastructure/outgoing.ts';
import type { RateLimits } from '../infrastructure/rate-limits.ts';
import type { RedisConnections } from '../infrastructure/redis.ts';
import type { SignedLinks } from '../infrastructure/signed-links.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { NotificationQueue } from '../jobs/notification.jobs.ts';
import type { Settings } from '../settings/settings.ts';

/** What every feature is built from: the floors below the features, as a node or a command puts them together. */
export interface Context {
  settings: Settings;
  log: Log;
  nodeId: string;
  /** The site's URL, without a trailing slash; known once the node listens. */
  publicUrl: () => string;
  redis: RedisConnections | null;
  limits: RateLimits;
  tracing: Tracing;
  mailer: Mailer;
  links: SignedLinks;
  outgoing: Outgoing;
  database: Database;
  control: Control;
  caches: Caches;
  operations: Operations;
  chores: Chores;
  capabilities: Capabilities;
  serverAccess: ServerAccess;
  directAccess: DirectAccess;
  policyAccess: PolicyAccess;
  channelAccess: ChannelAccess;
  threadAccess: ThreadAccess;
  delivery: Delivery;
  catchUp: CatchUp;
  changes: Changes;
  ephemeral: Ephemeral;
  jobs: Jobs;
  notifications: NotificationQueue;
}
