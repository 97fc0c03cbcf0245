import { AppError } from '../../contract/errors.ts';
import { AtOnce } from '../../infrastructure/at-once.ts';

const retrySeconds = 10;
const everyone = 'everyone';

/** Bounds how many answers of many files a node makes at once: each takes memory and time until it has been sent. */
export class LargeReads {
  private readonly message: string;
  private readonly all: AtOnce;
  private readonly users: AtOnce;

  /** @param message the error message for someone who has as many as one may have */
  constructor({ total, perUser }: { total: number; perUser: number }, message: string) {
    this.message = message;
    this.all = new AtOnce(total);
    this.users = new AtOnce(perUser);
  }

  /**
   * One person may not have so many that none are left for others.
   * @returns to be called once, when it has been sent or given up
   * @throws AppError RATE_LIMITED, SERVER_BUSY
   */
  enter(userId: string): () => void {
    if (this.users.isFull(userId)) {
      throw new AppError('RATE_LIMITED', { message: this.message, retryAfter: retrySeconds });
    }
    if (!this.all.enter(everyone)) throw new AppError('SERVER_BUSY', { retryAfter: retrySeconds });
    this.users.enter(userId);
    return () => {
      this.all.leave(everyone);
      this.users.leave(userId);
    };
  }
}
