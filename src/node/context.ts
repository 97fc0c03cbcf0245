import { Capabilities } from '../access/capabilities.ts';
import { ChannelAccess } from '../access/channel.access.ts';
import { DirectAccess } from '../access/direct.access.ts';
import { PolicyAccess } from '../access/policy.access.ts';
import { ServerAccess } from '../access/server.access.ts';
import { ThreadAccess } from '../access/thread.access.ts';
import { RedisBus, SoloBus } from '../cluster/bus.ts';
import { Caches } from '../cluster/caches.ts';
import { Chores } from '../cluster/chores.ts';
import { Control } from '../cluster/control.ts';
import { Operations } from '../cluster/operations.ts';
import { CatchUp } from '../delivery/catch-up.ts';
import { Changes } from '../delivery/changes.ts';
import { Delivery } from '../delivery/delivery.ts';
import { Ephemeral } from '../delivery/ephemeral.ts';
import type { Context } from '../features/context.ts';
import { Mailer } from '../infrastructure/mail.ts';
import { Outgoing } from '../infrastructure/outgoing.ts';
import { RateLimits } from '../infrastructure/rate-limits.ts';
import { SignedLinks } from '../infrastructure/signed-links.ts';
import { Jobs } from '../jobs/jobs.ts';
import { NotificationQueue } from '../jobs/notification.jobs.ts';

/** The parts to open before the rest of a context can be created. */
type Opened = Pick<Context, 'settings' | 'log' | 'database' | 'redis' | 'tracing' | 'publicUrl' | 'nodeId'>;

/** The context of a node, or of a command. Its caller closes what it holds (`closeContext`). */
export function createContext(opened: Opened): Context {
  const { settings, log, database, redis, nodeId } = opened;
  const bus = redis ? new RedisBus(redis, nodeId) : new SoloBus();
  const control = new Control(bus);
  const delivery = new Delivery(database, bus, settings.delivery, log);
  const operations = new Operations();
  const caches = new Caches(control, operations);
  const serverAccess = new ServerAccess(database, caches);
  const directAccess = new DirectAccess(database, caches);
  const policyAccess = new PolicyAccess(database, caches);
  const channelAccess = new ChannelAccess(database, caches, serverAccess, directAccess, policyAccess);
  const changes = new Changes(database, delivery, log, operations);
  const jobs = new Jobs({ database, changes, log });
  return {
    ...opened,
    control,
    operations,
    caches,
    serverAccess,
    directAccess,
    policyAccess,
    channelAccess,
    threadAccess: new ThreadAccess(database, caches, channelAccess),
    capabilities: new Capabilities(settings.accounts.tiers),
    delivery,
    catchUp: new CatchUp(delivery, settings.delivery.tailEvents),
    changes,
    jobs,
    chores: new Chores(database, log),
    ephemeral: new Ephemeral(),
    notifications: new NotificationQueue(jobs),
    limits: new RateLimits(settings, redis),
    links: new SignedLinks(settings.jwtSecrets),
    mailer: new Mailer(settings, log),
    outgoing: new Outgoing(settings.appProxyAllow),
  };
}
