import type { Actor } from '../../contract/actor.ts';
import { botKeep, botRelease, botRights } from '../../contract/bot-seat.ts';
import { AppError } from '../../contract/errors.ts';
import type { StatusReader } from '../../contract/presence.ts';
import { type Permission, requirePermission } from '../../contract/roles.ts';
import { Agent } from '../../database/entities/agent.entity.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import type { Audience } from '../members/audience.ts';
import { readMember } from '../members/member.table.ts';
import { lockServer, type Roster } from '../members/roster.ts';
import { type MemberRecord, memberRecord } from '../members/server.view.ts';
import type { PolicyService } from './policies/policy.service.ts';

/** A bot as a member of a server. */
interface Seat {
  agent: Agent;
  member: ServerMember;
}

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
    return this.changed(actor, server, agentId, 'bot:keep', async (change, { agent, member }) => {
      if (member.kept) return false;
      member.kept = true;
      await change.em.flush();
      await this.deps.policies.forgetOwners(change, agent, member.serverId);
      change.audit(botKeep, { actor, serverId: member.serverId, target: { kind: 'user', id: agent.userId } });
      return true;
    });
  }

  /** Undoes `keep`: without its owner the bot leaves the server or private channels. @throws AppError like `keep` */
  async release(actor: Actor, server: string, agentId: string): Promise<void> {
    const id = await this.admins(actor, server, 'bot:keep');
    await this.deps.changes.run(async (change) => {
      const { agent, member } = await this.seat(change, id, agentId);
      if (!member.kept) return;
      member.kept = false;
      await change.em.flush();
      change.audit(botRelease, { actor, serverId: id, target: { kind: 'user', id: agent.userId } });
      const owner = await change.em.findOne(ServerMember, { serverId: id, userId: agent.ownerId });
      if (!owner) return this.deps.roster.remove(change, id, agent.userId);
      await this.deps.channelMembers.removeStrays(change, id, agent.userId);
      await this.announce(change, id, await this.record(change, member));
    });
  }

  /** Sets whether a bot may write in the workspace. @throws AppError like `keep` */
  setRights(actor: Actor, server: string, agentId: string, workspaceWrite: boolean): Promise<MemberRecord> {
    return this.changed(actor, server, agentId, 'bot:set-rights', async (change, { member }) => {
      if (member.workspaceWrite === workspaceWrite) return false;
      const { serverId, userId } = member;
      const values = { before: { workspaceWrite: !workspaceWrite }, after: { workspaceWrite } };
      change.audit(botRights, { actor, serverId, target: { kind: 'user', id: userId }, ...values });
      member.workspaceWrite = workspaceWrite;
      return true;
    });
  }

  /** @param work returns whether it has changed anything; only then is it announced */
  private async changed(
    actor: Actor,
    server: string,
    agentId: string,
    permission: Permission,
    work: (change: Change, seat: Seat) => Promise<boolean>,
  ): Promise<MemberRecord> {
    const id = await this.admins(actor, server, permission);
    return this.deps.changes.run(async (change) => {
      const seat = await this.seat(change, id, agentId);
      const isChanged = await work(change, seat);
      const record = await this.record(change, seat.member);
      if (isChanged) await this.announce(change, id, record);
      return record;
    });
  }

  private async admins(actor: Actor, server: string, permission: Permission): Promise<string> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requirePermission(membership.rights, permission);
    if (actor.user.isBot) throw new AppError('ROLE_REQUIRED', { message: 'Bots decide nothing about bots.' });
    return id;
  }

  private async seat({ em, rows }: Change, serverId: string, agentId: string): Promise<Seat> {
    await lockServer(rows, serverId);
    const agent = await em.findOne(Agent, agentId);
    const member = agent && (await em.findOne(ServerMember, { serverId, userId: agent.userId }));
    if (!agent || !member) throw new AppError('AGENT_NOT_FOUND');
    return { agent, member };
  }

  private async record({ em, rows }: Change, { serverId, userId }: ServerMember): Promise<MemberRecord> {
    await em.flush();
    const row = await readMember(rows, serverId, userId);
    if (!row) throw new AppError('AGENT_NOT_FOUND');
    return memberRecord(row, this.deps.statuses);
  }

  private async announce(change: Change, serverId: string, seat: MemberRecord): Promise<void> {
    await this.deps.audience.publishMember(change, serverId, seat);
    change.afterCommit(() => this.deps.serverAccess.forget(serverId, seat.userId));
  }
}
