import { AppError } from '../errors.ts';

const retrySeconds = 10;

/** Bounds how many answers of many files a node makes at once: each takes memory and time until it has been sent. */
export class LargeReads {
  private readonly limits: { total: number; perUser: number };
  private readonly message: string;
  private running = 0;
  private readonly byUser = new Map<string, number>();

  /** @param message what is said to someone who has as many as one may have */
  constructor(limits: { total: number; perUser: number }, message: string) {
    this.limits = limits;
    this.message = message;
  }

  /**
   * Nobody may have so many that nothing is left for others.
   * @returns to be called once, when it has been sent or given up
   * @throws AppError RATE_LIMITED, SERVER_BUSY
   */
  enter(userId: string): () => void {
    const own = this.byUser.get(userId) ?? 0;
    if (own >= this.limits.perUser) {
      throw new AppError('RATE_LIMITED', { message: this.message, retryAfter: retrySeconds });
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
