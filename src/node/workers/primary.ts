import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { AggregatorRegistry } from 'prom-client';
import { openDatabaseUrl } from '../../database/open.ts';
import { migrate } from '../../database/up-to-date.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { Settings } from '../../settings/settings.ts';
import { isMetricsRequest, isReady, type PrimaryMessage } from './messages.ts';
import { makeSocketFolder } from './socket-folder.ts';

/** The backoff before a worker is replaced: one that dies at once must not keep the machine busy. */
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A worker that lived this long did not die while starting. */
const soundMs = 30_000;

/**
 * Runs `WEB_CONCURRENCY` nodes on this machine behind one port: each is a worker process, and connections are distributed
 * in turn. Shared parts live here: an embedded PostgreSQL, and the counts of /metrics. Workers that die are replaced.
 */
export class Primary {
  private readonly log: Log;
  private readonly env: Record<string, string>;
  private readonly finish: () => Promise<void>;
  private readonly registry = new AggregatorRegistry();
  private readonly replacements = new Set<NodeJS.Timeout>();
  private pauseMs = firstPauseMs;
  private sound = false;
  private stopping = false;
  /** Called when a worker ends before any was ready: the operator must fix the cause first. */
  private readonly failed = Promise.withResolvers<never>();

  private constructor(log: Log, env: Record<string, string>, finish: () => Promise<void>) {
    this.log = log;
    this.env = env;
    this.finish = finish;
  }

  /** @throws SettingsError, EmbeddedPostgresError; WorkerFailure when workers do not start */
  static async start(settings: Settings, log: Log): Promise<Primary> {
    const database = await openDatabaseUrl(settings, log);
    await migrate(database.url, log);
    const folder = await makeSocketFolder();
    const env = { PARLEY_WORKER_DATABASE: database.url, PARLEY_WORKER_FOLDER: folder };
    const primary = new Primary(log, env, async () => {
      await rm(folder, { recursive: true, force: true });
      await database.stop();
    });
    const workers = Array.from({ length: settings.workers }, () => primary.fork());
    const ready = Promise.all(workers.map(readiness));
    await Promise.race([ready, primary.failed.promise]).catch(async (error) => {
      await primary.stop();
      throw error;
    });
    primary.sound = true;
    return primary;
  }

  /** Ends all workers gracefully, then their dependencies. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const timer of this.replacements) clearTimeout(timer);
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && end(worker)));
    await this.finish();
  }

  private fork(): Worker {
    const begun = performance.now();
    const worker = cluster.fork(this.env);
    worker.on('message', (message) => {
      if (isMetricsRequest(message)) void this.sendMetrics(worker, message.id);
    });
    worker.once('exit', (code, signal) => this.ended(worker, performance.now() - begun, signal ?? `code ${code}`));
    return worker;
  }

  private ended(worker: Worker, livedMs: number, how: string): void {
    if (this.stopping) return;
    if (!this.sound) {
      this.failed.reject(new WorkerFailure());
      return;
    }
    this.pauseMs = livedMs > soundMs ? firstPauseMs : Math.min(this.pauseMs * 2, longestPauseMs);
    this.log.error({ worker: worker.id, how, pauseMs: this.pauseMs }, 'A worker ended; another one takes its place.');
    const timer = setTimeout(() => {
      this.replacements.delete(timer);
      this.fork();
    }, this.pauseMs);
    this.replacements.add(timer);
  }

  private async sendMetrics(worker: Worker, id: number): Promise<void> {
    const text = await this.registry.clusterMetrics().catch(() => '');
    if (worker.isConnected()) worker.send({ kind: 'metrics', id, text } satisfies PrimaryMessage);
  }
}

/** The workers report the cause themselves. */
export class WorkerFailure extends Error {}

function readiness(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.on('message', (message) => {
      if (isReady(message)) resolve();
    });
  });
}

async function end(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  if (worker.isConnected()) worker.send({ kind: 'stop' } satisfies PrimaryMessage);
  await ended;
}
