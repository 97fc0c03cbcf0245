import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { done } from '../../contract/schema.ts';
import type { joinedSchema } from '../../contract/server-member.ts';
import type { Change } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import type { JoinRequestService } from '../join-requests/join-request.service.ts';
import { type Door, findDoor } from '../members/invite-link.table.ts';
import { settleRequest } from '../members/join-requests.ts';
import { readMember } from '../members/member.table.ts';
import type { Roster } from '../members/roster.ts';
import { findServer } from '../members/server.table.ts';
import { outsideRecord, serverRecord } from '../members/server.view.ts';
import type { RaidService } from '../raids/raid.service.ts';
import { type LinkUses, noSuchCode } from '../server-invites/link-uses.ts';

type Joined = z.output<typeof joinedSchema>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  roster: Roster;
  raids: RaidService;
  linkUses: LinkUses;
  joinRequests: JoinRequestService;
  channelMembers: ChannelMemberService;
}

/** Joining a server oneself, in each of the ways that there are (contract §5). */
export class Joining {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Joins a server: a public one freely, a private one with its invite code or that of a link. With `_` as the id the code
   * alone decides which. In raid mode people are held, and moderators decide. A bot that joins is in the first channel, as
   * one that its owner adds, and enters only where its owner is.
   * @throws AppError SERVER_NOT_FOUND, INVITE_CODE_REQUIRED, ALREADY_MEMBER with the record, BANNED, USER_NOT_FOUND, FORBIDDEN
   */
  async join(actor: Actor, idOrSlug: string, code: string | null): Promise<Joined> {
    const door = await this.doorOf(actor, idOrSlug, code);
    try {
      return await this.deps.changes.run(async (change) => {
        await this.deps.roster.admit(change, actor.user, door.serverId);
        const isHeld = !actor.user.isBot && (await this.deps.raids.holds(change, door.serverId, actor.userId));
        return isHeld ? this.hold(change, actor, door) : this.enter(change, actor, door);
      });
    } catch (error) {
      const isIn = error instanceof AppError && error.code === 'ALREADY_MEMBER';
      throw isIn ? await this.alreadyMember(actor, door.serverId) : error;
    }
  }

  /** What waits sees of the server what outsiders see. */
  private async hold(change: Change, actor: Actor, { serverId, linkId }: Door): Promise<Joined> {
    const { requestId } = await this.deps.joinRequests.hold(change, actor, serverId, linkId);
    const row = await findServer(change.rows, serverId, actor.userId);
    if (!row) throw new AppError('SERVER_NOT_FOUND');
    return { ...outsideRecord(row), ...done, channelId: null, status: 'pending', code: 'JOIN_HELD', requestId };
  }

  private async enter(change: Change, actor: Actor, { serverId, linkId }: Door): Promise<Joined> {
    const { user, userId } = actor;
    // First: a join that was held gives its use of the link back.
    await settleRequest(change, { serverId, channelId: null }, userId);
    const use = linkId === null ? null : await this.deps.linkUses.take(change, serverId, linkId);
    const brought = { inviteId: use?.inviteId ?? null, invitedBy: use?.invitedBy ?? null };
    const server = await this.deps.roster.enter(change, user, serverId, 'member', userId, brought);
    if (user.isBot) await this.deps.channelMembers.admitBot(change, serverId, userId, actor);
    return { ...server, ...done, channelId: use?.channelId ?? null, status: 'joined' };
  }

  private async doorOf(actor: Actor, idOrSlug: string, code: string | null): Promise<Door> {
    const { rows } = this.deps.database;
    if (idOrSlug === '_') {
      if (!code) throw new AppError('INVITE_CODE_REQUIRED');
      const found = await findDoor(rows, code);
      if (!found) throw noSuchCode();
      return found;
    }
    const server = await this.deps.serverAccess.find(idOrSlug);
    if (!code && server.isPublic) return { serverId: server.id, linkId: null };
    const door = code ? await findDoor(rows, code) : undefined;
    if (door?.serverId === server.id) return door;
    // A member needs no code to learn that they are one.
    const own = await readMember(rows, server.id, actor.userId);
    if (own) throw await this.alreadyMember(actor, server.id);
    if (!code) throw new AppError('INVITE_CODE_REQUIRED');
    throw new AppError('SERVER_NOT_FOUND', { message: 'This invite code does not fit.' });
  }

  private async alreadyMember(actor: Actor, serverId: string): Promise<AppError> {
    const row = await findServer(this.deps.database.rows, serverId, actor.userId);
    if (!row) return new AppError('ALREADY_MEMBER');
    // Personal access tokens read no invite codes.
    const shown = actor.personalTokenId ? { ...row, invite_code: null } : row;
    return new AppError('ALREADY_MEMBER', { extra: { server: serverRecord(shown) } });
  }
}
