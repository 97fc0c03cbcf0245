import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Settings } from '../../settings/settings.ts';
import { primaryMessageSchema, type WorkerMessage } from './messages.ts';

/** A worker's connection to the process that started it. */
export class WorkerLink {
  /** Unique: the numbers of workers that died are not reused. */
  readonly number: number;
  /** For the workers' Unix sockets. */
  readonly folder: string;
  private readonly waiting = new Map<number, (text: string) => void>();
  private count = 0;
  private stop: () => void = () => {};

  constructor() {
    this.number = cluster.worker?.id ?? 0;
    this.folder = process.env.PARLEY_WORKER_FOLDER ?? '';
    process.on('message', (message) => this.hear(message));
  }

  /** The settings, adjusted for the primary's work so far. */
  settle(settings: Settings): Settings {
    return { ...settings, databaseUrl: process.env.PARLEY_WORKER_DATABASE ?? settings.databaseUrl };
  }

  /** @param stop called when the primary stops this worker */
  onStop(stop: () => void): void {
    this.stop = stop;
  }

  /** Reports to the primary that this worker is ready. */
  ready(): void {
    this.post({ kind: 'ready' });
  }

  /** Adds a worker's metrics to those of all. @returns a function for the metrics of all */
  shareMetrics(own: Registry): () => Promise<string> {
    new AggregatorRegistry();
    AggregatorRegistry.setRegistries([own]);
    return () => {
      const id = ++this.count;
      this.post({ kind: 'metrics', id });
      return new Promise((resolve) => this.waiting.set(id, resolve));
    };
  }

  private hear(message: unknown): void {
    const { data } = primaryMessageSchema.safeParse(message);
    if (data?.kind === 'stop') this.stop();
    if (data?.kind !== 'metrics') return;
    this.waiting.get(data.id)?.(data.text);
    this.waiting.delete(data.id);
  }

  private post(message: WorkerMessage): void {
    if (process.connected) process.send?.(message);
  }
}
