import { randomBytes } from 'node:crypto';
import { Database } from '../database/database.ts';
import { runningDatabaseUrl } from '../database/embedded/running.ts';
import { openDatabaseUrl } from '../database/open.ts';
import { migrate } from '../database/up-to-date.ts';
import { RedisBus, SoloBus } from '../delivery/bus.ts';
import { Caches } from '../delivery/caches.ts';
import { CatchUp } from '../delivery/catch-up.ts';
import { Control } from '../delivery/control.ts';
import { Delivery } from '../delivery/delivery.ts';
import { Ephemeral } from '../delivery/ephemeral.ts';
import type { Services } from '../features.ts';
import type { Log } from '../infrastructure/log.ts';
import { Mailer } from '../infrastructure/mail.ts';
import { RateLimits } from '../infrastructure/rate-limits.ts';
import { RedisConnections } from '../infrastructure/redis.ts';
import { Shutdown } from '../infrastructure/shutdown.ts';
import { untraced } from '../infrastructure/tracing.ts';
import { createServices } from '../services.ts';
import { type Settings, siteOf } from '../settings.ts';

/** The services of an installation without a server around them; one may run beside. */
export interface CommandGround {
  settings: Settings;
  database: Database;
  services: Services;
  close(): Promise<void>;
}

const redisWaitMs = 2000;

/** Opens the installation that the settings name. A server running on the same data folder lends its database. */
export async function openGround(settings: Settings, log: Log): Promise<CommandGround> {
  const shutdown = new Shutdown(log, settings.shutdown.graceMs);
  try {
    const database = await openDatabase(settings, log, shutdown);
    const redis = RedisConnections.of(settings, log);
    shutdown.add('Redis', () => redis?.close());
    await redis?.waitUntilHealthy(redisWaitMs);
    const nodeId = randomBytes(6).toString('hex');
    const bus = redis ? new RedisBus(redis, nodeId) : new SoloBus();
    const control = new Control(bus);
    const delivery = new Delivery(database, bus, settings.delivery, log);
    const limits = new RateLimits(settings, redis);
    const { services, writer, blobCollector, chores } = createServices({
      settings,
      log,
      database,
      delivery,
      catchUp: new CatchUp(delivery, settings.delivery.tailEvents),
      control,
      caches: new Caches(control),
      ephemeral: new Ephemeral(),
      limits,
      tracing: untraced,
      mailer: new Mailer(settings, log),
      publicUrl: () => siteOf(settings, settings.port),
      redis,
      nodeId,
    });
    shutdown.add('services', async () => {
      limits.close();
      await blobCollector.close();
      await chores.close();
      await services.accounts.close();
      writer.close();
      delivery.close();
    });
    return { settings, database, services, close: () => shutdown.run() };
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
  return database;
}
