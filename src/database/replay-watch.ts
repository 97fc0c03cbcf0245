import { setTimeout as delay } from 'node:timers/promises';

interface Waiting {
  position: number;
  settle(reached: boolean): void;
}

/** The pause between two questions. */
const pauseMs = 1;

/** Tells when a replica has replayed the log up to a position. One question at a time is asked, for all who wait. */
export class ReplayWatch {
  private readonly ask: () => Promise<number | null>;
  private readonly waiting = new Set<Waiting>();
  private isAsking = false;
  /** How far the replica said it was, last. */
  seen = 0;

  constructor(ask: () => Promise<number | null>) {
    this.ask = ask;
  }

  /** @returns whether the replica gets there within `ms` */
  reaches(position: number, ms: number): Promise<boolean> {
    if (this.seen >= position) return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiting = { position, settle };
      const timer = setTimeout(settle, ms, false);
      const { waiting: all } = this;
      function settle(reached: boolean): void {
        clearTimeout(timer);
        all.delete(waiting);
        resolve(reached);
      }
      all.add(waiting);
      void this.run();
    });
  }

  /** Notes how far the replica says it is. */
  note(position: number): void {
    this.seen = Math.max(this.seen, position);
    for (const { position: wanted, settle } of this.waiting) if (this.seen >= wanted) settle(true);
  }

  /** It may be another server from now on, or the same one after a crash, which replays again what it had. */
  reset(): void {
    this.seen = 0;
  }

  private async run(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    try {
      while (this.waiting.size > 0) {
        this.note((await this.ask()) ?? 0);
        if (this.waiting.size > 0) await delay(pauseMs);
      }
    } catch {
      for (const { settle } of this.waiting) settle(false);
    } finally {
      this.isAsking = false;
    }
  }
}
