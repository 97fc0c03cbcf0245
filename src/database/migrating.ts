import { setTimeout as delay } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { entities } from './entities.ts';
import { isConflict, isLockTimeout } from './failures.ts';
import { migrations } from './migrations.ts';
import { prepareLong } from './pools.ts';

/**
 * Each in a transaction of its own, so that it does not prolong the locks of others: those that take long with many
 * messages, members or files, without blocking reads, one that waits only moments for its lock and then starts over, and one
 * that works in steps on what those before it have committed.
 */
const alone = new Set([
  '0065-search-unspaced',
  '0083-partitioned-log',
  '0158-moderation-indexes',
  '0161-merged-reactions',
  '0200-later-indexes',
]);

/** An attempt that deadlocks takes a second, PostgreSQL's `deadlock_timeout`. */
const attempts = 10;

/** The names of all migrations grouped by transaction, in order. */
function transactions(): string[][] {
  const found: string[][] = [[]];
  for (const { name } of migrations) {
    if (alone.has(name)) found.push([name], []);
    else found.at(-1)?.push(name);
  }
  return found.filter((names) => names.length > 0);
}

const prepared = (client: pg.ClientBase, done: (error?: Error) => void) => prepareLong(client).then(() => done(), done);

/** An ORM that can migrate, for a database that may be empty. */
export function migratingOrm(url: string): Promise<MikroORM> {
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    driverOptions: { verify: prepared },
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations' },
    // Triggers, and views for older nodes, are created only by migrations.
    schemaGenerator: { ignoreTriggers: true, skipViews: [/./] },
    logger: () => {},
  });
}

/** A migration that limits how long it waits for a lock is meant to be repeated until it gets it, say until a dump is over. */
const lockPauseMs = 1000;

/** Older nodes keep running meanwhile and lock in their own order: a migration that conflicts with them is retried. */
async function undisturbed<T>(run: () => Promise<T>, log: Log): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const isPatient = isLockTimeout(error);
      if (!isConflict(error) || (attempt >= attempts && !isPatient)) throw error;
      log.info('The database is in use by other nodes; it is migrated once more.');
      if (isPatient) await delay(lockPauseMs * Math.min(attempt, attempts));
    }
  }
}

/** Runs the pending migrations. @returns their names */
export async function runPending(url: string, log: Log): Promise<string[]> {
  const orm = await migratingOrm(url);
  try {
    const names: string[] = [];
    for (const together of transactions()) {
      const done = await undisturbed(() => orm.migrator.up({ migrations: together }), log);
      names.push(...done.map((migration) => migration.name));
    }
    if (names.length > 0) log.info({ migrations: names }, 'The database was migrated.');
    return names;
  } finally {
    await orm.close(true);
  }
}
