import cluster from 'node:cluster';
import { inspect } from 'node:util';
import { AppError } from './contract/errors.ts';
import { EmbeddedPostgresError } from './database/embedded.ts';
import { createLog, exit, type Log } from './infrastructure/log.ts';
import type { Node } from './node/node.ts';
import { Primary, WorkerFailure } from './node/workers/primary.ts';
import { WorkerLink } from './node/workers/worker.ts';
import { isKnownEnvironment } from './settings/config-files.ts';
import { loadSettings, type Settings, SettingsError } from './settings/settings.ts';
import { webBundle } from './web/bundle.ts';

/** One process: settings → node, or several in workers → signals. */
async function main(): Promise<void> {
  const settings = loadSettings();
  const log = createLog(settings.logLevel);
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'A failure that nobody handled.'));
  if (cluster.isWorker) return runWorker(settings, log);
  warnOfEnvironment(settings, log);
  warnOfSecrets(settings, log);
  // During the start there is nothing to finish; an embedded PostgreSQL ends with its parent.
  let running: Node | Primary | undefined;
  let bundled: Promise<void> | undefined;
  stopOnSignals(log, async () => {
    await running?.stop();
    await bundled;
  });
  if (settings.workers > 1) {
    running = await Primary.start(settings, log);
    log.info(`Parley is ready with ${settings.workers} workers on ${settings.publicUrl ?? `port ${settings.port}`}`);
    return;
  }
  running = await start(settings, log);
  bundled = bundle(log);
  log.info({ node: running.id }, `Parley is ready on ${settings.publicUrl ?? running.url}`);
}

/** Loads the whole server only now: invalid settings are reported at once, and a primary with workers never loads it. */
async function start(settings: Settings, log: Log, link?: WorkerLink): Promise<Node> {
  const { startNode } = await import('./node/node.ts');
  return startNode(settings, log, link);
}

/** With a mistyped NODE_ENV the settings of production would silently not apply. */
function warnOfEnvironment({ environment }: Settings, log: Log): void {
  if (isKnownEnvironment(environment)) return;
  const ways = 'make that file, {} will do, or set another NODE_ENV, such as production';
  log.warn(`There is no config/${environment}.json, so this is only as in config/default.json; ${ways}.`);
}

/** Anyone with a token can brute-force a short secret offline, and then sign tokens for any user. */
function warnOfSecrets({ jwtSecrets }: Settings, log: Log): void {
  if (jwtSecrets.every(({ secret }) => secret.length >= 16)) return;
  log.warn(
    'JWT_SECRET is so short that it can be guessed; make one with `openssl rand -base64 32` (docs/security.md).',
  );
}

/** One node of several behind one port. */
async function runWorker(settings: Settings, log: Log): Promise<void> {
  const link = new WorkerLink();
  let node: Node | undefined;
  let bundled: Promise<void> | undefined;
  // Stopping is idempotent.
  const stop = async () => {
    await node?.stop();
    await bundled;
    await exit(log, 0);
  };
  link.onStop(() => void stop());
  process.on('SIGTERM', () => void stop());
  // A terminal's Ctrl+C reaches all processes; the primary ends the workers.
  process.on('SIGINT', () => {});
  node = await start(link.settle(settings), log, link);
  bundled = bundle(log);
  link.ready();
  log.info({ node: node.id, worker: link.number, pid: process.pid }, 'A worker is ready.');
}

function stopOnSignals(log: Log, end: () => Promise<void>): void {
  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal means at once.
    if (stopping) return exit(log, 1);
    stopping = true;
    log.info(`Got ${signal}; shutting down.`);
    await end();
    log.info('Good-bye.');
    return exit(log, 0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
}

/**
 * Bundles the web client now rather than for its first visitor; if that fails the API still works. The bundler's own process
 * must not be left in the middle: it would print all that it was doing.
 */
async function bundle(log: Log): Promise<void> {
  await webBundle().catch((error) => log.error({ err: error }, 'The web client could not be built.'));
}

main().catch((error) => {
  if (error instanceof WorkerFailure) process.exit(1);
  process.stderr.write(`Parley cannot start: ${reasonOf(error)}\n`);
  process.exit(1);
});

/** One sentence for errors that the operator can fix; a stack trace for everything else. */
function reasonOf(error: unknown): string {
  if (error instanceof SettingsError || error instanceof EmbeddedPostgresError) return error.message;
  const isAway = error instanceof AppError && error.code === 'DATABASE_UNAVAILABLE';
  if (!isAway || !(error.cause instanceof Error)) return inspect(error);
  return `PostgreSQL went away meanwhile (${error.cause.message}); start it again when that is back.`;
}
