import type { Log } from '../infrastructure/log.ts';
import type { Settings } from '../settings.ts';
import { startEmbeddedPostgres } from './embedded.ts';

/** Where the database is, and how to let go of it. */
export interface OpenDatabase {
  url: string;
  stop(): Promise<void>;
}

/** The database of DATABASE_URL, or one of our own in the data folder (contract §11). */
export async function openDatabaseUrl(settings: Settings, log: Log): Promise<OpenDatabase> {
  if (settings.databaseUrl) return { url: settings.databaseUrl, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: settings.dataDir, log });
}
