import { ClockSync } from '../database/clock-sync.ts';
import { Database } from '../database/database.ts';
import { openDatabaseUrl } from '../database/open.ts';
import { migrate } from '../database/up-to-date.ts';
import type { Context } from '../features/context.ts';
import { bootstrapInvite } from '../features/invites/bootstrap.ts';
import type { Log } from '../infrastructure/log.ts';
import { RedisConnections } from '../infrastructure/redis.ts';
import type { Shutdown } from '../infrastructure/shutdown.ts';
import { openTracing, type Tracing } from '../infrastructure/tracing.ts';
import type { Settings } from '../settings/settings.ts';
import { createContext } from './context.ts';

const redisWaitMs = 1000;

/** Opens what the features stand on: PostgreSQL, Redis, the delivery, mail. */
export async function openContext(
  nodeId: string,
  settings: Settings,
  log: Log,
  shutdown: Shutdown,
  publicUrl: () => string,
): Promise<Context> {
  const { database, tracing } = await openDatabase(nodeId, settings, log, shutdown);
  const redis = await connectRedis(settings, log, shutdown);
  const context = createContext({ nodeId, settings, log, publicUrl, database, redis, tracing });
  redis?.onHealth(() => void context.delivery.sweep());
  shutdown.add('mail', () => context.mailer.close(settings.shutdown.graceMs / 2));
  shutdown.add('rate limits', () => context.limits.close());
  shutdown.add('outgoing connections', () => context.outgoing.close());
  shutdown.add('chores', () => context.chores.close());
  shutdown.add('delivery', () => context.delivery.close());
  return context;
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
  const clockSync = await ClockSync.start(database, log);
  shutdown.add('clock', () => clockSync.close());
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
