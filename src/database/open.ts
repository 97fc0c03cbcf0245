import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import { databaseCode, isRefused, isUnavailable } from './failures.ts';

/** Where the database is, and how to release it. */
export interface OpenDatabase {
  url: string;
  stop(): Promise<void>;
}

/** The database of DATABASE_URL, or one of our own in the data folder (contract §11). */
export async function openDatabaseUrl(settings: Settings, log: Log): Promise<OpenDatabase> {
  requireReadable(settings.databaseReplicaUrls);
  if (settings.databaseUrl) {
    await waitForDatabase(settings.databaseUrl, settings.database.startWaitMs, log);
    return { url: settings.databaseUrl, stop: async () => {} };
  }
  return startEmbeddedPostgres({ dataDir: settings.dataDir, programs: settings.postgresPrograms, log });
}

/** Replicas may be down when a node starts, but their URLs may not name certificates that are not there. */
function requireReadable(replicaUrls: string[]): void {
  for (const connectionString of replicaUrls) {
    try {
      new pg.Client({ connectionString });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new SettingsError(`A replica of DATABASE_REPLICA_URLS cannot be used: ${reason}.`);
    }
  }
}

const retryMs = 500;

/** A database that starts together with this node may take a moment longer. */
async function waitForDatabase(url: string, patienceMs: number, log: Log): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 0; ; tries++) {
    const problem = await tryToConnect(url);
    if (!problem) return;
    if (!problem.passing || performance.now() > deadline) {
      throw new SettingsError(`The database of DATABASE_URL cannot be used: ${problem.message}.`);
    }
    if (tries === 0) log.warn(`The database of DATABASE_URL cannot be reached yet (${problem.message}); waiting.`);
    await delay(retryMs);
  }
}

/** Text in the database may be of any language. SQL_ASCII, as in clusters made without a locale, accepts any bytes. */
async function wrongEncoding(client: pg.Client): Promise<Problem | null> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  const encoding = rows[0]?.encoding ?? '';
  if (['UTF8', 'SQL_ASCII'].includes(encoding)) return null;
  return { message: `its encoding is ${encoding}; create one with ENCODING 'UTF8' TEMPLATE template0`, passing: false };
}

interface Problem {
  message: string;
  /** Whether the cause may be temporary. */
  passing: boolean;
}

/** @returns the obstacle */
async function tryToConnect(url: string): Promise<Problem | null> {
  let client: pg.Client | undefined;
  try {
    // This reads the certificate files that the URL names.
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
    client.on('error', () => {});
    await client.connect();
    return await wrongEncoding(client);
  } catch (error) {
    const message = error instanceof Error ? error.message || (databaseCode(error) ?? 'no answer') : String(error);
    return { message, passing: client !== undefined && isUnavailable(error) && !isRefused(error) };
  } finally {
    await client?.end().catch(() => {});
  }
}
