import { createLog } from './infrastructure/log.ts';
import { startNode } from './node.ts';
import { loadSettings, SettingsError } from './settings.ts';

/** One process: settings → node → signals. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'A failure that nobody handled.'));
  const starting = startNode(settings, log);
  let stopping = false;
  const stop = async (signal: string) => {
    // Whoever asks twice wants it now.
    if (stopping) process.exit(1);
    stopping = true;
    log.info(`Got ${signal}; shutting down.`);
    const started = await starting.catch(() => null);
    await started?.stop();
    log.info('Good-bye.');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  const node = await starting;
  log.info({ node: node.id }, `Parley is ready on ${settings.publicUrl ?? node.url}`);
}

main().catch((error) => {
  const sentence =
    error instanceof SettingsError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Parley cannot start: ${sentence}\n`);
  process.exit(1);
});
