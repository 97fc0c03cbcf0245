import { AppError } from '../../contract/errors.ts';
import { instanceBan, instanceUnban } from '../../contract/operating.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { InstanceBan } from '../../database/entities/instance-ban.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Auditor } from '../../delivery/audit.ts';
import type { Change } from '../../delivery/changes.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Barring } from './barring.ts';
import { addHashes, lastAddresses, removeBan } from './instance-bans.table.ts';
import { onAccount, type Suspensions } from './suspensions.ts';

interface NewBan {
  userId: string;
  reason: string | null;
  /** Null: until it is lifted. */
  until: Date | null;
  by: Auditor;
}

/** Bans from the installation (contract §3): a suspension that also keeps out accounts made anew. */
export class InstanceBans {
  private readonly barring: Barring;
  private readonly suspensions: Suspensions;

  constructor({ barring, suspensions }: { barring: Barring; suspensions: Suspensions }) {
    this.barring = barring;
    this.suspensions = suspensions;
  }

  /** A second ban replaces the first. @throws AppError FORBIDDEN for an operator, VALIDATION_FAILED for a past end */
  async ban(change: Change, { userId, reason, until, by }: NewBan): Promise<InstanceBan> {
    requireFuture(until);
    await this.suspensions.shutOut(change, userId, { reason, until });
    const { email } = await change.em.findOneOrFail(User, userId);
    await removeBan(change.rows, userId);
    const bannedBy = typeof by === 'string' ? null : by.userId;
    const ban = change.em.create(InstanceBan, { id: newId(), userId, reason, until, bannedBy });
    change.audit(instanceBan, { ...onAccount(by, userId), after: { until }, reason });
    await change.em.flush();
    const networks = this.barring.byNetwork ? await lastAddresses(change.rows, userId) : [];
    const hashes = networks.map((ip) => this.barring.ofNetwork(ip));
    if (email) hashes.push(this.barring.ofMailbox(email));
    await addHashes(change.rows, ban.id, hashes);
    return ban;
  }

  /** Lifts a ban, and with it the suspension. @throws AppError BAN_NOT_FOUND */
  async lift(change: Change, by: Auditor, userId: string): Promise<void> {
    const ban = await change.em.findOne(InstanceBan, { userId });
    if (!ban) throw new AppError('BAN_NOT_FOUND', { message: 'This user is not banned.' });
    await this.suspensions.letIn(change, userId);
    change.audit(instanceUnban, onAccount(by, userId));
  }
}

/** @throws AppError VALIDATION_FAILED for a past end */
export function requireFuture(until: Date | null): void {
  if (until && until <= dateNow())
    throw invalid([{ path: 'until', message: 'must be in the future', code: 'too_small' }]);
}
