import { EmbeddedPostgresError } from './database/embedded.ts';
import { createLog } from './infrastructure/log.ts';
import { type Node, startNode } from './node.ts';
import { loadSettings, SettingsError } from './settings.ts';
import { webBundle } from './web/bundle.ts';

/** One process: settings → node → signals. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'A failure that nobody handled.'));
  let node: Node | undefined;
  let stopping = false;
  const stop = async (signal: string) => {
    // Whoever asks twice wants it now.
    if (stopping) process.exit(1);
    stopping = true;
    log.info(`Got ${signal}; shutting down.`);
    // While it still starts there is nothing to finish; an embedded PostgreSQL ends with its parent.
    await node?.stop();
    log.info('Good-bye.');
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  node = await startNode(settings, log);
  // Made now rather than for its first visitor; without it the interface serves on.
  webBundle().catch((error) => log.error({ err: error }, 'The web client could not be put together.'));
  log.info({ node: node.id }, `Parley is ready on ${settings.publicUrl ?? node.url}`);
}

main().catch((error) => {
  // What the operator can mend is one sentence; everything else shows where it happened.
  const foreseen = error instanceof SettingsError || error instanceof EmbeddedPostgresError;
  const reason = foreseen ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`Parley cannot start: ${reason}\n`);
  process.exit(1);
});
