import { AppError } from '../contract/errors.ts';

/** Runs a number of operations at once; some more wait for their turn, in order. */
export class Slots {
  private readonly max: number;
  private readonly maxWaiting: number;
  private readonly turns: (() => void)[] = [];
  private running = 0;

  constructor(max: number, maxWaiting: number) {
    this.max = max;
    this.maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.turns.length;
  }

  /** @throws AppError SERVER_BUSY when too many wait, and what the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) {
      if (this.turns.length >= this.maxWaiting) throw new AppError('SERVER_BUSY');
      await new Promise<void>((resolve) => this.turns.push(resolve));
    } else this.running++;
    try {
      return await work();
    } finally {
      // Whoever is next takes over the place.
      const next = this.turns.shift();
      if (next) next();
      else this.running--;
    }
  }
}
