import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import { AppError } from '../../contract/errors.ts';
import type { Settings } from '../../settings/settings.ts';

/**
 * Hashes and checks passwords with argon2id. Only a few run at once (each takes memory and a core), the others queue, and a
 * full queue answers 503 (contract §3).
 */
export class Passwords {
  private readonly settings: Settings['accounts']['password'];
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private readonly nobodysHash: string;

  constructor(settings: Settings['accounts']['password']) {
    this.settings = settings;
    this.nobodysHash = nobodysHash(settings);
  }

  hash(password: string): Promise<string> {
    return this.queued(() => argon2.hash(password, this.options));
  }

  /** Checks a password; for a user that does not exist (hash null) with the same work, and always false. */
  async matches(password: string, hash: string | null): Promise<boolean> {
    const matches = await this.queued(() => argon2.verify(hash ?? this.nobodysHash, password));
    return matches && hash !== null;
  }

  /** Whether a hash costs less than the settings now require. */
  isOutdated(hash: string): boolean {
    const given = (name: 'm' | 't') => Number(new RegExp(`[$,]${name}=(\\d+)`).exec(hash)?.[1] ?? 0);
    return given('m') < this.settings.memoryKib || given('t') < this.settings.timeCost;
  }

  private get options(): argon2.HashOptions {
    const { memoryKib, timeCost, parallelism } = this.settings;
    return { type: argon2.argon2id, memoryCost: memoryKib, timeCost, parallelism };
  }

  private async queued<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.settings.concurrency) {
      if (this.waiting.length >= this.settings.queue) throw new AppError('SERVER_BUSY');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running++;
    }
    try {
      return await work();
    } finally {
      // The slot is passed to the next in the queue, or released.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }
}

/** A valid hash that costs as much to check as any, and matches no password. */
function nobodysHash({ memoryKib, timeCost, parallelism }: Settings['accounts']['password']): string {
  const chance = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKib},t=${timeCost},p=${parallelism}$${chance(16)}$${chance(32)}`;
}
