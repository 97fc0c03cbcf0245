import { NIL } from 'uuid';
import { lockUser } from '../../access/user.table.ts';
import type { QuotaOwner } from '../../contract/storage-kinds.ts';
import { lockQuota } from '../../database/advisory-locks.ts';
import type { Database, Rows } from '../../database/database.ts';
import type { Settings } from '../../settings/settings.ts';
import { type Account, readAccount, readInstallation, readPersonOf, readServers } from './allowance.table.ts';
import { quotaExceeded } from './quota.errors.ts';

/** How much of a quota is used. */
interface Use {
  quota: QuotaOwner;
  subjectId: string;
  used: number;
  limit: number;
}

/** Who stores something, and where. */
interface Storing {
  userId: string;
  /** The server whose files it is to be one of, as far as that is known. */
  serverId?: string | null;
  /** How many bytes it has stored already in the transaction, as far as that is known. */
  bytes?: number;
}

/**
 * How much people, servers and the installation may store (contract §8). What is stored is counted in the database, by
 * triggers; here it is held against the quotas. Uploads in progress at this node count too, so that many at once get no more
 * room than one; across nodes the check at the end of the transaction decides, under the lock of each quota.
 */
export class StorageAllowance {
  /** How often each quota had no room, on this node. */
  readonly refused = new Map<QuotaOwner, number>();
  private readonly database: Database;
  private readonly settings: Settings['storage'];
  private readonly graceSeconds: number;
  /** Subject → bytes arriving here. */
  private readonly arriving = new Map<string, number>();

  constructor(database: Database, { storage, blobs }: Pick<Settings, 'storage' | 'blobs'>) {
    this.database = database;
    this.settings = storage;
    this.graceSeconds = blobs.graceSeconds;
  }

  /**
   * The bytes of an upload as they arrive, no more than there is room for.
   * @param atLeast how many there are, as far as that is known beforehand
   * @throws AppError QUOTA_EXCEEDED
   */
  async *admitted(storing: Storing, bytes: AsyncIterable<Buffer>, atLeast: number): AsyncGenerator<Buffer> {
    const uses = await this.usesBy(this.database.rows, [storing.userId], serverIn(storing));
    this.requireRoom(uses, atLeast);
    let received = 0;
    try {
      for await (const piece of bytes) {
        this.requireRoom(uses, piece.length);
        received += piece.length;
        this.add(uses, piece.length);
        yield piece;
      }
    } finally {
      this.add(uses, -received);
    }
  }

  /**
   * Whether there is room for as much more, apart from what is stored at this moment.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireRoomFor(storing: Storing, bytes: number): Promise<void> {
    if (bytes === 0) return;
    const uses = await this.usesBy(this.database.rows, [storing.userId], serverIn(storing));
    for (const { quota, used, limit } of uses) if (used + bytes > limit) throw this.full(quota, used, limit);
  }

  /** Whether these users and the server each have room for so much more: for what can be left out. */
  async hasRoomFor(
    rows: Rows,
    { userIds, serverId, bytes }: { userIds: string[]; serverId: string; bytes: number },
  ): Promise<boolean> {
    const uses = await this.usesBy(rows, userIds, [serverId]);
    return uses.every(({ used, limit }) => used + bytes <= limit);
  }

  /**
   * Checks, at the end of a transaction that stores something, that it was not too much. Concurrent ones count those before
   * them.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireWithin(rows: Rows, storing: Storing): Promise<void> {
    await this.hold(rows, [storing.userId], serverIn(storing));
    this.check(await this.usesBy(rows, [storing.userId], serverIn(storing)), storing.bytes);
  }

  /**
   * The same where a transaction gives servers what is stored already.
   * @throws AppError QUOTA_EXCEEDED
   */
  async requireServersWithin(rows: Rows, serverIds: string[]): Promise<void> {
    if (serverIds.length === 0) return;
    await this.hold(rows, [], serverIds);
    this.check(await this.ofServers(rows, serverIds));
  }

  /**
   * Locks the quotas of whoever answers for what these users store, of servers, and of the installation until the commit, in
   * this order: for transactions that lock others before they check.
   */
  async hold(rows: Rows, userIds: string[], serverIds: string[] = []): Promise<void> {
    const people = new Set<string>();
    for (const id of userIds) people.add(await readPersonOf(rows, id));
    for (const id of [...people].sort()) await lockUser(rows, id);
    for (const id of [...new Set(serverIds)].sort()) await lockQuota(rows, id);
    // Without a bound nobody waits for it.
    if (userIds.length > 0 && (await this.installation(rows)).limit < Infinity) await lockQuota(rows, NIL);
  }

  /** How much an account has stored, and may: for bots their owner's. @throws AppError USER_NOT_FOUND */
  async ofAccount(rows: Rows, userId: string): Promise<Use> {
    const account = await readAccount(rows, userId, this.graceSeconds);
    return { quota: 'account', subjectId: account.personId, used: account.used, limit: this.limitOf(account) };
  }

  async ofServers(rows: Rows, ids: string[]): Promise<Use[]> {
    const standings = await readServers(rows, ids);
    return standings.map(({ id, used, own }) => {
      return { quota: 'server', subjectId: id, used, limit: own ?? this.settings.serverBytes };
    });
  }

  /** The limit is Infinity where there is none. */
  async installation(rows: Rows): Promise<Use> {
    const { used, own } = await readInstallation(rows);
    return { quota: 'installation', subjectId: NIL, used, limit: own ?? this.settings.installationBytes ?? Infinity };
  }

  /** @param added what of it was not there before */
  private check(uses: Use[], added = 0): void {
    for (const { quota, used, limit } of uses) if (used > limit) throw this.full(quota, used - added, limit);
  }

  private async usesBy(rows: Rows, userIds: string[], serverIds: string[]): Promise<Use[]> {
    const accounts = await Promise.all(userIds.map((id) => this.ofAccount(rows, id)));
    const servers = serverIds.length > 0 ? await this.ofServers(rows, serverIds) : [];
    return [...accounts, ...servers, await this.installation(rows)];
  }

  /**
   * An operator's word goes before the settings. What was deleted lately is in the store for a while: who deletes and stores
   * again and again gets no more than twice the quota into it.
   */
  private limitOf({ own, tier, isVerified, isNobodys, gone }: Account): number {
    if (isNobodys) return Infinity;
    const { bytes, tierBytes, unverifiedBytes } = this.settings;
    const byTier = tierBytes[tier] ?? bytes;
    const limit = own ?? (isVerified ? byTier : Math.min(byTier, unverifiedBytes));
    return Math.min(limit, Math.max(2 * limit - gone, 0));
  }

  private requireRoom(uses: Use[], more: number): void {
    for (const { quota, subjectId, used, limit } of uses) {
      const total = used + (this.arriving.get(subjectId) ?? 0);
      if (total + more > limit) throw this.full(quota, total, limit);
    }
  }

  private add(uses: Use[], bytes: number): void {
    for (const { subjectId } of uses) {
      const left = (this.arriving.get(subjectId) ?? 0) + bytes;
      if (left > 0) this.arriving.set(subjectId, left);
      else this.arriving.delete(subjectId);
    }
  }

  private full(quota: QuotaOwner, used: number, limit: number) {
    this.refused.set(quota, (this.refused.get(quota) ?? 0) + 1);
    return quotaExceeded(quota, used, limit);
  }
}

const serverIn = ({ serverId }: Storing): string[] => (serverId ? [serverId] : []);
