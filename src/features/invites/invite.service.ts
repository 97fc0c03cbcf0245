import type { z } from 'zod';
import { lockUser } from '../../access/user.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { createInvitesSchema } from '../../contract/invite.ts';
import type { Rows } from '../../database/database.ts';
import { countOf } from '../../database/statements.ts';
import { newId } from '../../infrastructure/ids.ts';
import { ownSession } from '../accounts/sessions/session.service.ts';
import type { Context } from '../context.ts';
import { newCode } from './bootstrap.ts';
import { type InviteRecord, type InviteRow, inviteRecord } from './invite.view.ts';

const selectInvites = `SELECT i.id, i.code, i.is_active, i.note, i.created_by, i.used_by, i.used_at, i.created_at,
  u.username, u.display_name, u.avatar_url, u.is_bot
  FROM invite_codes i LEFT JOIN users u ON u.id = i.used_by`;
const ofUser = `${selectInvites} WHERE i.created_by = $1 ORDER BY i.created_at DESC, i.id DESC`;
const ownOne = `${selectInvites} WHERE i.id = $1 AND i.created_by = $2`;
const theseOnes = `${selectInvites} WHERE i.id = ANY($1::uuid[]) ORDER BY i.id`;
const countOwn = 'SELECT count(*)::int AS count FROM invite_codes WHERE created_by = $1';

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
    const rows = await this.deps.database.rows<InviteRow>(ofUser, [actor.userId]);
    return rows.map(inviteRecord);
  }

  /** Creates 1 to 5 codes. @throws AppError INVITE_REQUIRED, INVITE_LIMIT, INSUFFICIENT_PAT_SCOPE */
  async create(actor: Actor, input: z.output<typeof createInvitesSchema>): Promise<InviteRecord[]> {
    this.deps.capabilities.require(actor, 'invite:create');
    ownSession(actor);
    return this.deps.changes.run(async ({ rows }) => {
      await lockUser(rows, actor.userId);
      if ((await countOf(rows, countOwn, [actor.userId])) + input.count > maxCodes) throw new AppError('INVITE_LIMIT');
      const ids: string[] = [];
      while (ids.length < input.count) ids.push(await insertOne(rows, actor.userId, input.note ?? ''));
      return (await rows<InviteRow>(theseOnes, [ids])).map(inviteRecord);
    });
  }

  /** Creates codes that belong to nobody, for the operator; no permissions are checked. */
  async issue(count: number, note: string): Promise<InviteRecord[]> {
    return this.deps.changes.run(async ({ rows }) => {
      const ids: string[] = [];
      while (ids.length < count) ids.push(await insertOne(rows, null, note));
      return (await rows<InviteRow>(theseOnes, [ids])).map(inviteRecord);
    });
  }

  /** It can no longer be redeemed. @throws AppError INVITE_CODE_NOT_FOUND, also for those of others, INSUFFICIENT_PAT_SCOPE */
  async deactivate(actor: Actor, id: string): Promise<InviteRecord> {
    ownSession(actor);
    return this.deps.changes.run(async ({ rows }) => {
      await rows('UPDATE invite_codes SET is_active = false WHERE id = $1 AND created_by = $2', [id, actor.userId]);
      const [row] = await rows<InviteRow>(ownOne, [id, actor.userId]);
      if (!row) throw new AppError('INVITE_CODE_NOT_FOUND');
      return inviteRecord(row);
    });
  }

  /** @throws AppError INVITE_CODE_NOT_FOUND */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.deps.changes.run(async ({ rows }) => {
      const deleted = await rows<{ id: string }>(
        'DELETE FROM invite_codes WHERE id = $1 AND created_by = $2 RETURNING id',
        [id, actor.userId],
      );
      if (deleted.length === 0) throw new AppError('INVITE_CODE_NOT_FOUND');
    });
  }
}

/** Of 32^8 codes one may exist already; then another is tried. @returns its id */
async function insertOne(rows: Rows, userId: string | null, note: string): Promise<string> {
  for (;;) {
    const [made] = await rows<{ id: string }>(
      `INSERT INTO invite_codes (id, code, note, created_by, created_at) VALUES ($1, $2, $3, $4, now())
       ON CONFLICT (code) DO NOTHING RETURNING id`,
      [newId(), newCode(), note, userId],
    );
    if (made) return made.id;
  }
}
