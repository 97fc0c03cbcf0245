import type { EntityManager } from '@mikro-orm/postgresql';
import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { createInvitesSchema } from '../../contract/invite.ts';
import { inviteCodesIssue } from '../../contract/operating.ts';
import type { Queries } from '../../database/database.ts';
import { InviteCode } from '../../database/entities/invite-code.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import { forUpdate } from '../../database/queries.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { smallUser } from '../accounts/account.view.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { newCode } from './bootstrap.ts';
import { type InviteRecord, inviteRecord } from './invite.view.ts';

/** How many codes a user may keep; deleted ones do not count. */
const maxCodes = 1000;

type Deps = Pick<Context, 'database' | 'changes' | 'capabilities'>;

/** The invite codes that a user holds to share (contract §7). */
export class InviteService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The actor's codes, newest first, including used and deactivated ones. @throws AppError INSUFFICIENT_PAT_SCOPE */
  async list(actor: Actor): Promise<InviteRecord[]> {
    ownSession(actor);
    const orderBy = { createdAt: 'desc', id: 'desc' } as const;
    return this.deps.database.read(async (em) =>
      recordsOf(em, await em.find(InviteCode, { createdBy: actor.userId }, { orderBy })),
    );
  }

  /** Creates 1 to 5 codes. @throws AppError INVITE_REQUIRED, INVITE_LIMIT, INSUFFICIENT_PAT_SCOPE */
  async create(actor: Actor, input: z.output<typeof createInvitesSchema>): Promise<InviteRecord[]> {
    this.deps.capabilities.require(actor, 'invite:create');
    ownSession(actor);
    return this.deps.changes.run(async ({ em, db, rows }) => {
      await lockUser(rows, actor.userId);
      const held = await em.count(InviteCode, { createdBy: actor.userId });
      if (held + input.count > maxCodes) throw new AppError('INVITE_LIMIT');
      return insert(db, input.count, { createdBy: actor.userId, note: input.note ?? '' });
    });
  }

  /** Creates codes that belong to nobody, for the operator; no permissions are checked. */
  async issue(count: number, note: string): Promise<InviteRecord[]> {
    return this.deps.changes.run((change) => {
      change.audit(inviteCodesIssue, { actor: 'cli', serverId: null, target: null, after: { count } });
      return insert(change.db, count, { createdBy: null, note });
    });
  }

  /** It can no longer be redeemed. @throws AppError INVITE_CODE_NOT_FOUND, also for those of others, INSUFFICIENT_PAT_SCOPE */
  async deactivate(actor: Actor, id: string): Promise<InviteRecord> {
    ownSession(actor);
    return this.deps.changes.run(async ({ em }) => {
      const own = { id, createdBy: actor.userId };
      const invite = await em.findOne(InviteCode, own, forUpdate);
      if (!invite) throw new AppError('INVITE_CODE_NOT_FOUND');
      invite.isActive = false;
      const user = invite.usedBy ? await em.findOne(User, invite.usedBy) : null;
      return inviteRecord(invite, user && smallUser(user));
    });
  }

  /** @throws AppError INVITE_CODE_NOT_FOUND */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async ({ em }) => {
      const deleted = await em.nativeDelete(InviteCode, { id, createdBy: actor.userId });
      if (deleted === 0) throw new AppError('INVITE_CODE_NOT_FOUND');
    });
  }
}

/** With the users who redeemed them. */
async function recordsOf(em: EntityManager, invites: InviteCode[]): Promise<InviteRecord[]> {
  const users = await em.find(User, { id: invites.flatMap(({ usedBy }) => usedBy ?? []) });
  const byId = new Map(users.map((user) => [user.id, smallUser(user)]));
  return invites.map((invite) => inviteRecord(invite, byId.get(invite.usedBy ?? '') ?? null));
}

/** Of 32^8 codes one may exist already; then another is tried. */
async function insert(
  db: Queries,
  count: number,
  held: Pick<InviteCode, 'createdBy' | 'note'>,
): Promise<InviteRecord[]> {
  const made: InviteRecord[] = [];
  while (made.length < count) {
    const codes = Array.from({ length: count - made.length }, () => {
      return { ...held, id: newId(), code: newCode(), isActive: true, isReusable: false, createdAt: dateNow() };
    });
    const added = db
      .insertInto('InviteCode')
      .values(codes)
      .onConflict((code) => code.column('code').doNothing());
    made.push(...(await added.returningAll().execute()).map((invite) => inviteRecord(invite, null)));
  }
  return made.sort((a, b) => (a.id < b.id ? -1 : 1));
}
