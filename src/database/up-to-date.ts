import { readdirSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { SettingsError } from '../settings/settings.ts';
import { advisoryLocks } from './advisory-locks.ts';
import { asDatabaseError, missingRight } from './failures.ts';
import { prepareLong } from './pools.ts';

/**
 * Brings the database up to date. Safe to run from any number of nodes at once.
 * @returns the names of the migrations that were run. @throws AppError DATABASE_UNAVAILABLE; SettingsError if its role may not
 */
export async function migrate(url: string, log: Log): Promise<string[]> {
  return runAlone(url, log).catch((error) => {
    const reason = missingRight(error);
    throw reason === undefined ? asDatabaseError(error) : ownerMissing(reason);
  });
}

/** Since PostgreSQL 15 only the owner of a database may create tables in it, unless someone grants it to others. */
function ownerMissing(reason: string): SettingsError {
  const message = `The database of DATABASE_URL cannot be migrated (${reason}); make its role the owner of the database`;
  return new SettingsError(`${message} and of all tables in it.`);
}

async function runAlone(url: string, log: Log): Promise<string[]> {
  const guard = new pg.Client({ connectionString: url });
  guard.on('error', () => {});
  await guard.connect();
  try {
    await prepareLong(guard);
    await guard.query('SELECT pg_advisory_lock($1)', [advisoryLocks.migrating]);
    const [known, executed] = [namesOfAll(), await namesOfExecuted(guard)];
    warnOfNewer(executed.difference(known), log);
    if (known.isSubsetOf(executed)) return [];
    // Loaded only when a migration is due: the migrator takes a tenth of a start.
    const { runPending } = await import('./migrating.ts');
    return await runPending(url, log);
  } finally {
    // Closing the connection releases the lock in any case.
    await guard.end().catch(() => {});
  }
}

/** Which migrations of this version a database lacks, and which it has of newer ones. @throws Error of PostgreSQL */
export async function migrationsOf(client: pg.Client): Promise<{ missing: string[]; newer: string[] }> {
  const [known, executed] = [namesOfAll(), await namesOfExecuted(client)];
  return { missing: [...known.difference(executed)].sort(), newer: [...executed.difference(known)].sort() };
}

/** Each has a file of its name. */
function namesOfAll(): Set<string> {
  const files = readdirSync(path.join(import.meta.dirname, 'migrations'));
  return new Set(files.map((file) => path.parse(file).name));
}

/** An empty database has none. */
async function namesOfExecuted(client: pg.Client): Promise<Set<string>> {
  const { rows: found } = await client.query<{ name: string | null }>(`SELECT to_regclass('migrations') AS name`);
  if (!found[0]?.name) return new Set();
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations');
  return new Set(rows.map(({ name }) => name));
}

/** During a rolling upgrade older nodes keep running; this helps to find one left behind or started by mistake. */
function warnOfNewer(newer: Set<string>, log: Log): void {
  if (newer.size === 0) return;
  log.warn({ migrations: [...newer] }, 'A newer version of Parley migrated this database; run that one on all nodes.');
}
