import type { z } from 'zod';
import type { ServerAccess } from '../../access/server.access.ts';
import type { Actor } from '../../contract/actor.ts';
import type { addedAgentsSchema } from '../../contract/agent.ts';
import type { channelMemberAdded } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { AgentAccess } from '../accounts/agent.access.ts';
import type { ChannelMemberService } from '../channels/channel-member.service.ts';
import { channelRecords } from '../members/channel.reader.ts';
import type { Roster } from '../members/roster.ts';
import { agentRecord } from './agent.view.ts';

const channelsOf = `SELECT m.channel_id AS id FROM channel_members m JOIN channels c ON c.id = m.channel_id
  WHERE m.user_id = $1 AND NOT m.excluded AND NOT c.is_archived AND c.deleted_at IS NULL
  ORDER BY c.server_id, c.position, c.created_at LIMIT 2000`;

type Existing = z.input<typeof channelMemberAdded.payload>;

/** Which servers and channels bots are in (contract §5). */
export class AgentMemberships {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly agents: AgentAccess;
  private readonly servers: ServerAccess;
  private readonly channelMembers: ChannelMemberService;
  private readonly roster: Roster;

  constructor(parts: {
    database: Database;
    changes: Changes;
    agentAccess: AgentAccess;
    serverAccess: ServerAccess;
    channelMembers: ChannelMemberService;
    roster: Roster;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.agents = parts.agentAccess;
    this.servers = parts.serverAccess;
    this.channelMembers = parts.channelMembers;
    this.roster = parts.roster;
  }

  /**
   * Adds the actor's bots to a server and its first channel, each on its own: one that cannot be added does not keep the
   * others out.
   * @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER
   */
  async add(actor: Actor, server: string, agentIds: string[]): Promise<z.input<typeof addedAgentsSchema>> {
    const { id } = await this.servers.joined(actor, server);
    // In one change, so that waiting for a node that hangs happens once, not once for each bot.
    return this.changes.run(async () => {
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

  /** What a bot is told about each of its channels when it connects (contract §9). */
  async existing(botUserId: string): Promise<Existing[]> {
    const found = await this.database.rows<{ id: string }>(channelsOf, [botUserId]);
    const records = await channelRecords(
      this.database.rows,
      found.map((channel) => channel.id),
    );
    return records.map((channel) => ({
      channelId: channel.id,
      serverId: channel.serverId,
      channel,
      existing: true,
    }));
  }

  private async addOne(actor: Actor, serverId: string, agentId: string): Promise<void> {
    const { botUser } = agentRecord(await this.agents.owned(actor, agentId));
    await this.changes.run(async (change) => {
      await this.roster.add(change, botUser, serverId, 'member', actor.userId);
      await this.channelMembers.admitBot(change, serverId, botUser.id, actor);
    });
  }
}
