import { randomBytes } from 'node:crypto';
import { ClockSync } from '../database/clock-sync.ts';
import { Database } from '../database/database.ts';
import { runningDatabaseUrl } from '../database/embedded/running.ts';
import { openDatabaseUrl } from '../database/open.ts';
import { migrate } from '../database/up-to-date.ts';
import type { Changes } from '../delivery/changes.ts';
import type { Log } from '../infrastructure/log.ts';
import { RedisConnections } from '../infrastructure/redis.ts';
import { Shutdown } from '../infrastructure/shutdown.ts';
import { untraced } from '../infrastructure/tracing.ts';
import { createContext } from '../node/context.ts';
import { createModules, type Modules } from '../node/modules.ts';
import { type Settings, siteOf } from '../settings/settings.ts';

/** The features of an installation without a server; one may run at the same time. */
export interface Installation {
  settings: Settings;
  database: Database;
  changes: Changes;
  services: Modules['services'];
  close(): Promise<void>;
}

const redisWaitMs = 2000;

/** Opens the configured installation. A server running on the same data folder shares its database. */
export async function openInstallation(settings: Settings, log: Log): Promise<Installation> {
  const shutdown = new Shutdown(log, settings.shutdown.graceMs);
  try {
    const database = await openDatabase(settings, log, shutdown);
    const redis = RedisConnections.of(settings, log);
    shutdown.add('Redis', () => redis?.close());
    await redis?.waitUntilHealthy(redisWaitMs);
    const nodeId = randomBytes(6).toString('hex');
    const publicUrl = () => siteOf(settings, settings.port);
    const context = createContext({ settings, log, database, redis, tracing: untraced, publicUrl, nodeId });
    const { list, services } = createModules(context);
    shutdown.add('rate limits', () => context.limits.close());
    shutdown.add('chores', () => context.chores.close());
    shutdown.add('delivery', () => context.delivery.close());
    for (const [name, module] of Object.entries(list)) shutdown.add(name, () => module.close?.());
    return { settings, database, changes: context.changes, services, close: () => shutdown.run() };
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function openDatabase(settings: Settings, log: Log, shutdown: Shutdown): Promise<Database> {
  const running = settings.databaseUrl ? null : runningDatabaseUrl(settings.dataDir);
  const place = running ? { url: running, stop: async () => {} } : await openDatabaseUrl(settings, log);
  shutdown.add('embedded PostgreSQL', () => place.stop(), 'to its end');
  await migrate(place.url, log);
  const database = await Database.connect(place.url, settings, log);
  shutdown.add('database', () => database.close());
  const clockSync = await ClockSync.start(database, log);
  shutdown.add('clock', () => clockSync.close());
  return database;
}
