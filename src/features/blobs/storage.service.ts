import { NIL } from 'uuid';
import type { Actor } from '../../contract/actor.ts';
import type { AuditTargetKind } from '../../contract/audit-action.ts';
import { quotaSet } from '../../contract/operating.ts';
import { requirePermission } from '../../contract/roles.ts';
import type { StorageRecord } from '../../contract/storage.ts';
import { storageKinds } from '../../contract/storage-kinds.ts';
import type { Context } from '../context.ts';
import type { StorageAllowance } from './allowance.ts';
import { type Heavy, heaviestOf, isCounting, setQuota, usageOf, withBotsOf } from './usage.table.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess' | 'settings'> {
  allowance: StorageAllowance;
}

/** Whom an operator sets a quota for. */
interface QuotaTarget {
  kind: Extract<AuditTargetKind, 'user' | 'server'>;
  id: string;
}

/** What the whole installation has stored. */
export interface InstallationStorage {
  usedBytes: number;
  /** Null: there is no bound. */
  quotaBytes: number | null;
  /** Rows from before bytes were counted are not counted yet. */
  isCounting: boolean;
}

/** Shows what is stored and may be, and sets the quotas of single people and servers (contract §8, Storage). */
export class StorageService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Of the actor and their bots; for a bot of its owner. */
  own(actor: Actor): Promise<StorageRecord> {
    return this.ofUser(actor.userId);
  }

  /** @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED */
  async ofManaged(actor: Actor, server: string): Promise<StorageRecord> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, 'server:update');
    return this.ofServer(id);
  }

  /** @throws AppError USER_NOT_FOUND */
  async ofUser(userId: string): Promise<StorageRecord> {
    const { rows } = this.deps.database;
    const { subjectId, limit } = await this.deps.allowance.ofAccount(rows, userId);
    const { attachmentBytes } = this.deps.settings.limits;
    return this.record(await withBotsOf(rows, subjectId), limit, attachmentBytes);
  }

  async ofServer(id: string): Promise<StorageRecord> {
    const [use] = await this.deps.allowance.ofServers(this.deps.database.rows, [id]);
    return this.record([id], use?.limit ?? 0, this.deps.settings.limits.uploadBytes);
  }

  async ofInstallation(): Promise<InstallationStorage> {
    const { rows } = this.deps.database;
    const { used, limit } = await this.deps.allowance.installation(rows);
    const quotaBytes = limit === Infinity ? null : limit;
    return { usedBytes: used, quotaBytes, isCounting: await isCounting(rows) };
  }

  /** The people, bots and servers with most, in the sums of the last minute. */
  heaviest(limit: number): Promise<Heavy[]> {
    return heaviestOf(this.deps.database.rows, limit);
  }

  /** @param target null: the whole installation. @param bytes null: what the settings say */
  async setQuota(target: QuotaTarget | null, bytes: number | null): Promise<void> {
    await this.deps.changes.run(async (change) => {
      await setQuota(change.rows, target?.id ?? NIL, bytes);
      change.audit(quotaSet, { actor: 'cli', serverId: null, target, after: { bytes } });
    });
  }

  private async record(subjectIds: string[], quotaBytes: number, fileBytes: number): Promise<StorageRecord> {
    const found = new Map((await usageOf(this.deps.database.rows, subjectIds)).map((one) => [one.kind, one]));
    const kinds = storageKinds.map((kind) => {
      const { bytes = 0, files = 0 } = found.get(kind) ?? {};
      return { kind, bytes: Math.max(bytes, 0), files: Math.max(files, 0) };
    });
    const usedBytes = kinds.reduce((sum, { bytes }) => sum + bytes, 0);
    return { usedBytes, quotaBytes, leftBytes: Math.max(quotaBytes - usedBytes, 0), fileBytes, kinds };
  }
}
