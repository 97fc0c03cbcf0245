import { MAX } from 'uuid';
import type { z } from 'zod';
import { lockUser, userById, usersByIds } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import type { listAuditSchema } from '../../contract/audit.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  banUserSchema,
  instanceBanSchema,
  listBansSchema,
  searchUsersSchema,
  standingSchema,
} from '../../contract/operator.ts';
import { type ListPage, listPage } from '../../contract/schema/list-page.ts';
import { idCursor } from '../../contract/schema/validation.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import { InstanceBan } from '../../database/entities/instance-ban.entity.ts';
import type { InstanceBans } from '../accounts/instance-bans.ts';
import { requireFuture } from '../accounts/instance-bans.ts';
import type { ListedUser, OperatorService } from '../accounts/operator.service.ts';
import type { Operators } from '../accounts/operators.ts';
import type { Suspensions } from '../accounts/suspensions.ts';
import type { AuditService } from '../audit/audit.service.ts';
import type { AuditRecord } from '../audit/audit.view.ts';
import type { Context } from '../context.ts';

type BanRecord = z.output<typeof instanceBanSchema>;

interface Deps extends Pick<Context, 'database' | 'changes'> {
  operators: Operators;
  audit: Pick<AuditService, 'page'>;
  operator: Pick<OperatorService, 'list' | 'revokeAll' | 'mailReset' | 'setTier'>;
  suspensions: Suspensions;
  instanceBans: InstanceBans;
}

/** What operators do about accounts from within the installation (contract §3). */
export class OperatorDesk {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError FORBIDDEN, INSUFFICIENT_PAT_SCOPE, as all of these; INVALID_CURSOR */
  async users(actor: Actor, query: z.output<typeof searchUsersSchema>): Promise<ListPage<ListedUser>> {
    await this.deps.operators.require(actor);
    const { search, limit, cursor } = query;
    const found = await this.deps.operator.list(search, limit + 1, idCursor(cursor));
    return listPage(found, limit, (user) => user);
  }

  /** @returns how much has ended @throws AppError USER_NOT_FOUND, FORBIDDEN for bots, as those below */
  async signOut(actor: Actor, userId: string, tokens: boolean): Promise<number> {
    await this.deps.operators.require(actor);
    return this.deps.operator.revokeAll(userId, { tokens, by: actor });
  }

  /** @throws AppError NO_EMAIL, SERVER_BUSY */
  async mailReset(actor: Actor, userId: string): Promise<void> {
    await this.deps.operators.require(actor);
    await this.deps.operator.mailReset(userId, actor);
  }

  /** @throws AppError VALIDATION_FAILED for an unknown tier */
  async setTier(actor: Actor, userId: string, tier: string): Promise<void> {
    await this.deps.operators.require(actor);
    await this.deps.operator.setTier(userId, tier, actor);
  }

  /** @throws AppError USER_NOT_FOUND, FORBIDDEN for bots and operators, VALIDATION_FAILED for a past end */
  async suspend(actor: Actor, userId: string, input: z.output<typeof standingSchema>): Promise<void> {
    await this.person(actor, userId);
    const { reason, until } = standing(input);
    requireFuture(until);
    const { changes, suspensions } = this.deps;
    await changes.run((change) => suspensions.suspend(change, actor, userId, { reason, until }));
  }

  /** @throws AppError USER_NOT_FOUND */
  async unsuspend(actor: Actor, userId: string): Promise<void> {
    await this.person(actor, userId);
    await this.deps.changes.run((change) => this.deps.suspensions.end(change, actor, userId));
  }

  /** @throws AppError USER_NOT_FOUND, FORBIDDEN for bots and operators, VALIDATION_FAILED for a past end */
  async ban(actor: Actor, input: z.output<typeof banUserSchema>): Promise<BanRecord> {
    const { userId } = input;
    await this.person(actor, userId);
    const { changes, instanceBans } = this.deps;
    const given = { ...standing(input), userId, by: actor };
    const ban = await changes.run((change) => instanceBans.ban(change, given));
    const [record] = await this.records([ban]);
    if (!record) throw new AppError('USER_NOT_FOUND');
    return record;
  }

  /** @throws AppError BAN_NOT_FOUND */
  async lift(actor: Actor, userId: string): Promise<void> {
    await this.deps.operators.require(actor);
    await this.deps.changes.run(async (change) => {
      await lockUser(change.rows, userId);
      await this.deps.instanceBans.lift(change, actor, userId);
    });
  }

  /** @throws AppError INVALID_CURSOR */
  async bansFor(actor: Actor, query: z.output<typeof listBansSchema>): Promise<ListPage<BanRecord>> {
    await this.deps.operators.require(actor);
    return this.bans(query);
  }

  /** The bans, newest first; the command line asks without an actor. */
  async bans({ limit, cursor }: z.output<typeof listBansSchema>): Promise<ListPage<BanRecord>> {
    const before = idCursor(cursor) ?? MAX;
    const some = { orderBy: { id: 'desc' }, limit: limit + 1 } as const;
    const bans = await this.deps.database.read((em) => em.find(InstanceBan, { id: { $lt: before } }, some));
    const { records, hasMore } = listPage(bans, limit, (ban) => ban);
    return { records: await this.records(records), hasMore };
  }

  /** What operators did. @throws AppError INVALID_CURSOR */
  async log(actor: Actor, query: z.output<typeof listAuditSchema>): Promise<ListPage<AuditRecord>> {
    await this.deps.operators.require(actor);
    return this.deps.audit.page(null, query, query);
  }

  private async person(actor: Actor, userId: string): Promise<void> {
    await this.deps.operators.require(actor);
    const user = await userById(this.deps.database.rows, userId);
    if (user.isBot) throw new AppError('FORBIDDEN', { message: 'That is a bot; its owner answers for it.' });
  }

  private async records(bans: InstanceBan[]): Promise<BanRecord[]> {
    const ids = bans.flatMap(({ userId, bannedBy }) => [userId, bannedBy ?? userId]);
    const users = await usersByIds(this.deps.database.rows, ids);
    return bans.flatMap(({ id, userId, reason = null, until, bannedBy, createdAt }) => {
      const user = users.get(userId);
      const by = bannedBy ? (users.get(bannedBy) ?? null) : null;
      const times = { until: isoTimeOrNull(until ?? null), createdAt: isoTime(createdAt) };
      return user ? [{ id, userId, user, bannedBy: by, reason, ...times }] : [];
    });
  }
}

const standing = ({ reason, until }: z.output<typeof standingSchema>) => ({
  reason: reason || null,
  until: until ? new Date(until) : null,
});
