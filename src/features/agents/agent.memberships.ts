import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import type { addedAgentsSchema } from '../../contract/agent.ts';
import type { channelMemberAdded } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import { requireNoTimeout } from '../../contract/roles.ts';
import type { AgentAccess } from '../accounts/agent.access.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import type { Context } from '../context.ts';
import { channelRecords } from '../members/channel.table.ts';
import type { Roster } from '../members/roster.ts';
import { channelsOfBot } from './agent.table.ts';
import { agentRecord } from './agent.view.ts';

type Existing = z.input<typeof channelMemberAdded.payload>;

interface Deps extends Pick<Context, 'database' | 'changes' | 'serverAccess'> {
  agentAccess: AgentAccess;
  channelMembers: ChannelMemberService;
  roster: Roster;
}

/** Which servers and channels bots are in (contract §5). */
export class AgentMemberships {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * Adds the actor's bots to a server and its first channel, each on its own: one that cannot be added does not keep the
   * others out.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER, TIMED_OUT
   */
  async add(actor: Actor, server: string, agentIds: string[]): Promise<z.input<typeof addedAgentsSchema>> {
    const { id, membership } = await this.deps.serverAccess.joined(actor, server);
    requireNoTimeout(membership.rights);
    // In one change, so that waiting for a node that hangs happens once, not once for each bot.
    return this.deps.changes.run(async () => {
      const result: z.input<typeof addedAgentsSchema> = { added: [], failed: [] };
      for (const agentId of new Set(agentIds)) {
        try {
          await this.addOne(actor, id, agentId);
          result.added.push(agentId);
        } catch (error) {
          // A failure of ours fails all of them.
          if (!(error instanceof AppError) || error.status >= 500) throw error;
          result.failed.push({ agentId, error: error.message, code: error.code });
        }
      }
      return result;
    });
  }

  /** The events that a bot gets for each of its channels when it connects (contract §9). */
  async existing(botUserId: string): Promise<Existing[]> {
    const { rows } = this.deps.database;
    const records = await channelRecords(rows, await channelsOfBot(rows, botUserId));
    return records.map((channel) => ({
      channelId: channel.id,
      serverId: channel.serverId,
      channel,
      existing: true,
    }));
  }

  private async addOne(actor: Actor, serverId: string, agentId: string): Promise<void> {
    const agent = await this.deps.agentAccess.owned(actor, agentId);
    const { botUser } = agentRecord(agent, agent);
    await this.deps.changes.run(async (change) => {
      await this.deps.roster.add(change, botUser, serverId, 'member', actor.userId);
      await this.deps.channelMembers.admitBot(change, serverId, botUser.id, actor);
    });
  }
}
