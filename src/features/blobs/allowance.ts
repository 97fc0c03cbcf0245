import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database, Rows } from '../../database/database.ts';
import { findAccount, readUsed } from './allowance.table.ts';

interface AllowanceSettings {
  bytes: number;
  tierBytes: Record<string, number>;
  unverifiedBytes: number;
}

/**
 * How much a person may store, in all servers and direct messages together (contract §8). Uploads in progress at this
 * node count too, so that many at once get no more room than one.
 */
export class StorageAllowance {
  private readonly database: Database;
  private readonly settings: AllowanceSettings;
  /** Person → bytes arriving here. */
  private readonly arriving = new Map<string, number>();

  constructor(database: Database, settings: AllowanceSettings) {
    this.database = database;
    this.settings = settings;
  }

  /**
   * The bytes of an upload as they arrive, no more than its sender has room for.
   * @param atLeast how many there are, as far as that is known beforehand
   * @throws AppError QUOTA_EXCEEDED
   */
  async *admitted(actor: Actor, bytes: AsyncIterable<Buffer>, atLeast: number): AsyncGenerator<Buffer> {
    const { personId, used, limit } = await this.of(this.database.rows, actor.userId);
    const require = (more: number) => {
      const total = used + (this.arriving.get(personId) ?? 0);
      if (total + more > limit) throw full(total, limit);
    };
    require(atLeast);
    let received = 0;
    try {
      for await (const piece of bytes) {
        require(piece.length);
        received += piece.length;
        this.add(personId, piece.length);
        yield piece;
      }
    } finally {
      this.add(personId, -received);
    }
  }

  /**
   * Whether the actor may store as much more, apart from what is stored at this moment.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireRoomFor(actor: Actor, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const { used, limit } = await this.of(this.database.rows, actor.userId);
    if (used + bytes > limit) throw full(used, limit);
  }

  /**
   * Checks, at the end of a transaction that stores something for the actor, that it was not too much. Concurrent ones
   * count those before them.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireWithin(rows: Rows, { userId }: Pick<Actor, 'userId'>): Promise<void> {
    await this.hold(rows, [userId]);
    const { used, limit } = await this.of(rows, userId);
    if (used > limit) throw full(used, limit);
  }

  /**
   * Locks whoever answers for what these users store until the commit: for transactions that lock others before they call
   * `requireWithin`.
   */
  async hold(rows: Rows, userIds: string[]): Promise<void> {
    const people = new Set<string>();
    for (const id of userIds) people.add((await findAccount(rows, id)).personId);
    for (const id of [...people].sort()) await lockUser(rows, id);
  }

  private async of(rows: Rows, userId: string): Promise<{ personId: string; used: number; limit: number }> {
    const { personId, tier, isVerified } = await findAccount(rows, userId);
    const used = await readUsed(rows, personId);
    const { bytes, tierBytes, unverifiedBytes } = this.settings;
    const byTier = tierBytes[tier] ?? bytes;
    const limit = isVerified ? byTier : Math.min(byTier, unverifiedBytes);
    return { personId, used, limit };
  }

  private add(personId: string, bytes: number): void {
    const left = (this.arriving.get(personId) ?? 0) + bytes;
    if (left > 0) this.arriving.set(personId, left);
    else this.arriving.delete(personId);
  }
}

function full(totalBytes: number, quotaBytes: number): AppError {
  return new AppError('QUOTA_EXCEEDED', {
    message: `All files of your account can have at most ${quotaBytes} bytes together; delete some first.`,
    extra: { totalBytes, quotaBytes },
  });
}
