import { lockUser, requireStaying } from '../../access/user.table.ts';
import { AppError } from '../../contract/errors.ts';
import { Agent, AgentToken, Webhook } from '../../database/entities/agent.entity.ts';
import { ServerMember } from '../../database/entities/server.entity.ts';
import { User } from '../../database/entities/user.entity.ts';
import type { Change } from '../../delivery/changes.ts';
import { lockAgent } from '../accounts/agent.access.ts';
import type { AgentIdentity } from '../accounts/agent.identity.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { GroupMembers } from '../channels/group-members.ts';
import type { Context } from '../context.ts';
import type { Roster } from '../members/roster.ts';
import type { AgentTokens } from './agent.tokens.ts';

interface Deps extends Pick<Context, 'control' | 'serverAccess' | 'settings'> {
  agentIdentity: AgentIdentity;
  agentTokens: AgentTokens;
  channelMembers: ChannelMemberService;
  groupMembers: GroupMembers;
  roster: Roster;
}

/** Who owns agents (contract §4). */
export class AgentOwners {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Hands an agent over. Its tokens and its webhook end, which the previous owner knows, and it leaves servers, groups and
   * private channels that the new owner is not in, unless a server keeps it.
   * @throws AppError HANDOVER_NOT_FOUND if someone else owns it by now, AGENT_LIMIT, FORBIDDEN
   */
  async transfer(change: Change, agentId: string, fromId: string, toId: string): Promise<void> {
    const { em } = change;
    await lockUser(change.rows, toId);
    await requireStaying(change.rows, toId);
    const agent = await lockAgent(em, agentId);
    if (agent.ownerId !== fromId) throw new AppError('HANDOVER_NOT_FOUND');
    const owned = await em.count(Agent, { ownerId: toId });
    if (owned >= this.deps.settings.agents.maxPerOwner) throw new AppError('AGENT_LIMIT');
    await this.endAccess(change, agent);
    agent.ownerId = toId;
    await em.nativeUpdate(User, agent.userId, { formerOwnerId: fromId });
    await em.flush();
    await this.leaveOthers(change, agent.userId, toId);
    change.afterCommit(() => this.deps.agentIdentity.forget(agent.userId));
  }

  private async endAccess(change: Change, { id, userId }: Agent): Promise<void> {
    const tokens = await this.deps.agentTokens.idsOf(change, id);
    await change.em.nativeDelete(AgentToken, { agentId: id });
    const webhooks = await change.em.nativeDelete(Webhook, { agentId: id });
    change.afterCommit(async () => {
      // In this order on each node: first the tokens are no longer accepted, then their sockets are closed.
      await Promise.all([
        this.deps.agentIdentity.forgetTokens(tokens),
        this.deps.control.send({ kind: 'disconnect', userId, event: null }),
        ...(webhooks > 0 ? [this.deps.control.send({ kind: 'webhook', agentId: id })] : []),
      ]);
    });
  }

  private async leaveOthers(change: Change, botUserId: string, ownerId: string): Promise<void> {
    const seats = await change.em.find(ServerMember, { userId: botUserId }, { orderBy: { serverId: 'asc' } });
    // Timeouts hold a bot with its owner.
    change.afterCommit(() => this.deps.serverAccess.forgetAll(seats));
    for (const { serverId, kept } of seats) {
      if (kept) continue;
      const isThere = (await change.em.count(ServerMember, { serverId, userId: ownerId })) > 0;
      if (isThere) await this.deps.channelMembers.removeStrays(change, serverId, botUserId);
      else await this.deps.roster.remove(change, serverId, botUserId);
    }
    // It locks logs, and so comes after what locks rows.
    await this.deps.groupMembers.leaveStrays(change, botUserId, ownerId);
  }
}
