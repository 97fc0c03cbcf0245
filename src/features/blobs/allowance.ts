import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database, Rows } from '../../database/database.ts';

interface AllowanceSettings {
  bytes: number;
  tierBytes: Record<string, number>;
  unverifiedBytes: number;
}

interface Account {
  /** Bots store for their owners. */
  personId: string;
  tier: string;
  isVerified: boolean;
}

/** The account whose allowance applies: for bots their owner's. */
const selectAccount = `SELECT p.id AS "personId", p.tier, p.email_verified_at IS NOT NULL AS "isVerified"
  FROM users u LEFT JOIN agents a ON a.user_id = u.id JOIN users p ON p.id = coalesce(a.owner_id, u.id) WHERE u.id = $1`;

/** What a person and their bots have stored: files of messages, unsent ones too, files of workspaces, and of apps. */
const selectUsed = `WITH who AS (SELECT $1::uuid AS id UNION ALL SELECT user_id FROM agents WHERE owner_id = $1)
  SELECT (SELECT coalesce(sum(size), 0) FROM attachments WHERE uploader_id IN (SELECT id FROM who))
    + (SELECT coalesce(sum(size_bytes), 0) FROM workspace_nodes WHERE created_by IN (SELECT id FROM who))
    + (SELECT coalesce(sum(f.size_bytes), 0) FROM apps a JOIN app_files f ON f.app_id = a.id
       WHERE a.created_by IN (SELECT id FROM who)) AS used`;

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
   * Checks, at the end of a transaction that stores something for the actor, that it was not too much. Concurrent ones
   * count those before them.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireWithin(rows: Rows, actor: Actor): Promise<void> {
    const { personId } = await this.account(rows, actor.userId);
    await lockUser(rows, personId);
    const { used, limit } = await this.of(rows, actor.userId);
    if (used > limit) throw full(used, limit);
  }

  private async account(rows: Rows, userId: string): Promise<Account> {
    const [account] = await rows<Account>(selectAccount, [userId]);
    if (!account) throw new AppError('USER_NOT_FOUND');
    return account;
  }

  private async of(rows: Rows, userId: string): Promise<{ personId: string; used: number; limit: number }> {
    const { personId, tier, isVerified } = await this.account(rows, userId);
    const [sum] = await rows<{ used: string }>(selectUsed, [personId]);
    const { bytes, tierBytes, unverifiedBytes } = this.settings;
    const byTier = tierBytes[tier] ?? bytes;
    const limit = isVerified ? byTier : Math.min(byTier, unverifiedBytes);
    return { personId, used: Number(sum?.used ?? 0), limit };
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
