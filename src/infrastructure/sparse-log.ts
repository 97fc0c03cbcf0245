import type { Log } from './log.ts';

const everyMs = 10_000;

/**
 * Logs failures that may hit thousands of requests at once, as when the database is away: the first at once, the others as
 * a periodic count.
 */
export class SparseLog {
  private readonly log: Log;
  private readonly repeats = new Map<string, { times: number; timer: NodeJS.Timeout }>();

  constructor(log: Log) {
    this.log = log;
  }

  /**
   * @param kind failures of a kind are counted together; must have few values
   * @param details of this one
   */
  warn(kind: Record<string, string>, details: Record<string, unknown>, message: string): void {
    const name = `${message} ${Object.values(kind).join(' ')}`;
    const known = this.repeats.get(name);
    if (known) {
      known.times++;
      return;
    }
    this.log.warn({ ...kind, ...details }, message);
    const timer = setInterval(() => this.report(name, kind, message), everyMs).unref();
    this.repeats.set(name, { times: 0, timer });
  }

  private report(name: string, kind: Record<string, string>, message: string): void {
    const known = this.repeats.get(name);
    if (!known) return;
    const { times, timer } = known;
    known.times = 0;
    if (times > 0) {
      this.log.warn({ ...kind, times }, message);
    } else {
      clearInterval(timer);
      this.repeats.delete(name);
    }
  }
}
