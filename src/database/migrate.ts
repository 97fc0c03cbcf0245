import { createLog } from '../infrastructure/log.ts';
import { loadSettings } from '../settings/settings.ts';
import { openDatabaseUrl } from './open.ts';
import { migrate } from './up-to-date.ts';

/** `npm run migrate`: for platforms that migrate before they start (see Procfile). */
const settings = loadSettings();
const log = createLog(settings.logLevel);
const database = await openDatabaseUrl(settings, log);
try {
  const names = await migrate(database.url, log);
  if (names.length === 0) log.info('The database is up to date.');
} finally {
  await database.stop();
}
