import { AppError } from '../errors.ts';

const retrySeconds = 10;

/** Bounds how many archives a node sends at once: each reads every file of a folder. */
export class ArchiveSlots {
  private readonly limits: { total: number; perUser: number };
  private running = 0;
  private readonly byUser = new Map<string, number>();

  constructor(limits: { total: number; perUser: number }) {
    this.limits = limits;
  }

  /**
   * Nobody may have so many that nothing is left for others.
   * @returns to be called once, when it has been sent or given up
   * @throws AppError RATE_LIMITED, SERVER_BUSY
   */
  enter(userId: string): () => void {
    const own = this.byUser.get(userId) ?? 0;
    if (own >= this.limits.perUser) {
      const message = 'You are downloading several ZIP files already; wait until one of them is there.';
      throw new AppError('RATE_LIMITED', { message, retryAfter: retrySeconds });
    }
    if (this.running >= this.limits.total) throw new AppError('SERVER_BUSY', { retryAfter: retrySeconds });
    this.running++;
    this.byUser.set(userId, own + 1);
    return () => this.leave(userId);
  }

  private leave(userId: string): void {
    this.running--;
    const left = (this.byUser.get(userId) ?? 1) - 1;
    if (left > 0) this.byUser.set(userId, left);
    else this.byUser.delete(userId);
  }
}
