import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { type Permission, requireRole } from '../../contract/roles.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { memberUpdated } from '../../contract/server.ts';
import type { Change } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { memberColumns } from '../members/member.table.ts';
import { lockServer, type Roster, shown } from '../members/roster.ts';
import { type MemberRecord, type MemberRow, memberRecord } from '../members/server.view.ts';
import type { PolicyService } from './policies/policy.service.ts';

const selectSeat = `SELECT ${memberColumns} FROM agents a JOIN server_members m ON m.server_id = $1 AND m.user_id = a.user_id
  JOIN users u ON u.id = a.user_id WHERE a.id = $2`;
const setKept = 'UPDATE server_members SET kept = $3 WHERE server_id = $1 AND user_id = $2';
const setWrite = 'UPDATE server_members SET workspace_write = $3 WHERE server_id = $1 AND user_id = $2';
const isMember = 'SELECT FROM server_members WHERE server_id = $1 AND user_id = $2';

interface Deps extends Pick<Context, 'changes' | 'serverAccess'> {
  roster: Roster;
  channelMembers: ChannelMemberService;
  audience: Audience;
  policies: PolicyService;
  statuses: StatusReader;
}

/** What a server's admins decide about the bots that are members of it (contract §5). */
export class BotSeats {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Keeps a bot for the server: it stays without its owner, who no longer sets its policy there; what the owner has set
   * ends.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, ROLE_REQUIRED, AGENT_NOT_FOUND for a bot that is not in the server
   */
  keep(actor: Actor, server: string, agentId: string): Promise<MemberRecord> {
    return this.changed(actor, server, agentId, 'bot:keep', async (change, { server_id, user_id, kept }) => {
      if (kept || server_id === null) return false;
      await change.rows(setKept, [server_id, user_id, true]);
      await this.deps.policies.forgetOwners(change, { id: agentId, userId: user_id }, server_id);
      return true;
    });
  }

  /** Undoes `keep`: without its owner the bot leaves the server or private channels. @throws AppError like `keep` */
  async release(actor: Actor, server: string, agentId: string): Promise<void> {
    const id = await this.admins(actor, server, 'bot:keep');
    await this.deps.changes.run(async (change) => {
      const seat = await this.seat(change, id, agentId);
      if (!seat.kept) return;
      await change.rows(setKept, [id, seat.user_id, false]);
      const owner = await change.rows(isMember, [id, seat.agent?.owner]);
      if (owner.length === 0) return this.deps.roster.remove(change, id, seat.user_id);
      await this.deps.channelMembers.removeStrays(change, id, seat.user_id);
      await this.announce(change, id, await this.seat(change, id, agentId));
    });
  }

  /** Sets whether a bot may write in the workspace. @throws AppError like `keep` */
  setRights(actor: Actor, server: string, agentId: string, workspaceWrite: boolean): Promise<MemberRecord> {
    return this.changed(
      actor,
      server,
      agentId,
      'bot:set-rights',
      async (change, { server_id, user_id, workspace_write }) => {
        if (workspace_write === workspaceWrite) return false;
        await change.rows(setWrite, [server_id, user_id, workspaceWrite]);
        return true;
      },
    );
  }

  /** @param work returns whether it has changed anything; only then is it announced */
  private async changed(
    actor: Actor,
    server: string,
    agentId: string,
    permission: Permission,
    work: (change: Change, seat: MemberRow) => Promise<boolean>,
  ): Promise<MemberRecord> {
    const id = await this.admins(actor, server, permission);
    return this.deps.changes.run(async (change) => {
      const isChanged = await work(change, await this.seat(change, id, agentId));
      const seat = await this.seat(change, id, agentId);
      if (isChanged) await this.announce(change, id, seat);
      return memberRecord(seat, this.deps.statuses);
    });
  }

  private async admins(actor: Actor, server: string, permission: Permission): Promise<string> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requireRole(membership.role, permission);
    if (actor.user.isBot) throw new AppError('ROLE_REQUIRED', { message: 'Bots decide nothing about bots.' });
    return id;
  }

  private async seat(change: Change, serverId: string, agentId: string): Promise<MemberRow> {
    await lockServer(change.rows, serverId);
    const [row] = await change.rows<MemberRow>(selectSeat, [serverId, agentId]);
    if (!row) throw new AppError('AGENT_NOT_FOUND');
    return row;
  }

  private async announce(change: Change, serverId: string, seat: MemberRow): Promise<void> {
    const { userId, role, user, agent } = memberRecord(seat, this.deps.statuses);
    const told = { scope: 'server', userId, role, ...shown(user), kept: agent?.kept } as const;
    for (const channelId of await this.deps.audience.announcedOf(change.rows, serverId, userId)) {
      change.publish(memberUpdated.in(channelRoom(channelId), { serverId, channelId, ...told }));
    }
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, userId));
  }
}
