import { Database } from '../database/database.ts';
import { openDatabaseUrl } from '../database/open.ts';
import { migrate } from '../database/up-to-date.ts';
import { RedisBus, SoloBus } from '../delivery/bus.ts';
import { Caches } from '../delivery/caches.ts';
import { CatchUp } from '../delivery/catch-up.ts';
import { Control } from '../delivery/control.ts';
import { Delivery } from '../delivery/delivery.ts';
import { Ephemeral } from '../delivery/ephemeral.ts';
import type { Log } from '../infrastructure/log.ts';
import { Mailer } from '../infrastructure/mail.ts';
import { RateLimits } from '../infrastructure/rate-limits.ts';
import { RedisConnections } from '../infrastructure/redis.ts';
import type { Shutdown } from '../infrastructure/shutdown.ts';
import { openTracing, type Tracing } from '../infrastructure/tracing.ts';
import { bootstrapInvite } from '../invites/bootstrap.ts';
import { SearchIndex } from '../search/search-index.ts';
import type { Ground } from '../services.ts';
import type { Settings } from '../settings.ts';

const redisWaitMs = 1000;

/** Opens what the services stand on: PostgreSQL, Redis, the delivery, mail. */
export async function openGround(
  nodeId: string,
  settings: Settings,
  log: Log,
  shutdown: Shutdown,
  publicUrl: () => string,
): Promise<Ground> {
  const { database, tracing } = await openDatabase(nodeId, settings, log, shutdown);
  const redis = await connectRedis(settings, log, shutdown);
  const bus = redis ? new RedisBus(redis, nodeId) : new SoloBus();
  const control = new Control(bus);
  const caches = new Caches(control);
  const delivery = new Delivery(database, bus, settings.delivery, log);
  const catchUp = new CatchUp(delivery, settings.delivery.tailEvents);
  redis?.onHealth(() => void delivery.sweep());
  const limits = new RateLimits(settings, redis);
  const mailer = new Mailer(settings, log);
  shutdown.add('mail', () => mailer.close(settings.shutdown.graceMs / 2));
  shutdown.add('rate limits', () => limits.close());
  const searchIndex = new SearchIndex(database, log);
  shutdown.add('search index', () => searchIndex.close());
  const ephemeral = new Ephemeral();
  const shared = { database, redis, delivery, catchUp, control, caches, ephemeral, limits, tracing, mailer };
  return { nodeId, settings, log, publicUrl, ...shared };
}

async function openDatabase(
  nodeId: string,
  settings: Settings,
  log: Log,
  shutdown: Shutdown,
): Promise<{ database: Database; tracing: Tracing }> {
  const place = await openDatabaseUrl(settings, log);
  shutdown.add('embedded PostgreSQL', () => place.stop(), 'to its end');
  await migrate(place.url, log);
  const database = await Database.connect(place.url, settings, log, true);
  shutdown.add('database', () => database.close());
  const tracing = await openTracing(settings, nodeId, log);
  shutdown.add('tracing', () => tracing.close());
  if (tracing.statements) database.watch(tracing.statements);
  await bootstrapInvite(database, settings, log);
  return { database, tracing };
}

async function connectRedis(settings: Settings, log: Log, shutdown: Shutdown): Promise<RedisConnections | null> {
  const redis = RedisConnections.of(settings, log);
  if (!redis) return null;
  shutdown.add('Redis', () => redis.close());
  await redis.waitUntilHealthy(redisWaitMs);
  return redis;
}
