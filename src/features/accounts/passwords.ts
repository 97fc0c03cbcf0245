import { randomBytes } from 'node:crypto';
import argon2 from 'argon2';
import { AppError } from '../../contract/errors.ts';
import { equalInConstantTime } from '../../infrastructure/constant-time.ts';
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

  /**
   * @param salt one that is used again: of the same account, or of those that were made with the same address. To check a
   *   password against all accounts of an address is then one computation, however many there are, and its time tells nothing
   */
  hash(password: string, salt: Buffer | null = null): Promise<string> {
    return this.queued(() => argon2.hash(password, { ...this.options, ...(salt && { salt }) }));
  }

  /** Which of these hashes are of this password. Without any (null) the work is the same as with one. */
  async matchesOf(password: string, hashes: (string | null)[]): Promise<boolean[]> {
    const given = hashes.filter((hash) => hash !== null);
    const known = given.length > 0 ? given : [this.nobodysHash];
    const samples = new Map(known.map((hash) => [saltedPart(hash), hash]));
    const computed = new Map<string, string>();
    for (const [part, hash] of [...samples].slice(0, maxSalts))
      computed.set(part, await this.queued(() => argon2.hash(password, optionsOf(hash))));
    return hashes.map((hash) => hash !== null && equalInConstantTime(computed.get(saltedPart(hash)) ?? '', hash));
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

/** Accounts of one address were made with one salt; several are left where addresses moved between accounts. */
const maxSalts = 2;

/** All of a hash but the hash itself: what it costs, and the salt. */
const saltedPart = (hash: string): string => hash.slice(0, hash.lastIndexOf('$'));

/** The salt of a hash, if there is one. */
export const saltIn = (hash: string | null | undefined): Buffer | null => (hash == null ? null : saltOf(hash));

const saltOf = (hash: string): Buffer => Buffer.from(hash.split('$').at(-2) ?? '', 'base64');

/** What makes the same hash of the same password. */
function optionsOf(hash: string): argon2.HashOptions {
  const given = (name: 'm' | 't' | 'p') => Number(new RegExp(`[$,]${name}=(\\d+)`).exec(hash)?.[1] ?? 0);
  const costs = { memoryCost: given('m'), timeCost: given('t'), parallelism: given('p') };
  const hashLength = Buffer.from(hash.split('$').at(-1) ?? '', 'base64').length;
  return { type: argon2.argon2id, ...costs, hashLength, salt: saltOf(hash) };
}

/** A valid hash that costs as much to check as any, and matches no password. */
function nobodysHash({ memoryKib, timeCost, parallelism }: Settings['accounts']['password']): string {
  const chance = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryKib},t=${timeCost},p=${parallelism}$${chance(16)}$${chance(32)}`;
}
