import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import type { agentConfigSchema, Policy } from '../../../contract/policy.ts';
import type { Database } from '../../../database/database.ts';
import type { AgentAccess } from '../../accounts/agent.access.ts';
import { policyPart } from './policy.view.ts';

const policyColumns = (alias: string) => `${alias}.mode, ${alias}.mention_only AS "mentionOnly", ${alias}.reply,
  ${alias}.listen, ${alias}.config`;
/** Hides from the owner ($3) the servers that keep the bot without them. */
const joinedServers = `SELECT s.id, s.name, s.slug, s.icon_url AS "iconUrl", ${policyColumns('p')}
  FROM server_members m JOIN servers s ON s.id = m.server_id
  LEFT JOIN agent_policies p ON p.agent_id = $2 AND p.server_id = s.id AND p.channel_id IS NULL
  WHERE m.user_id = $1 AND ($3::uuid IS NULL OR EXISTS (
    SELECT FROM server_members o WHERE o.server_id = s.id AND o.user_id = $3))
  ORDER BY m.joined_at, s.id LIMIT 1000`;
const joinedChannels = `SELECT c.id, c.server_id AS "serverId", c.name, c.type, c.kind, c.is_private AS "isPrivate",
  ${policyColumns('p')}
  FROM channel_members m JOIN channels c ON c.id = m.channel_id
  LEFT JOIN agent_policies p ON p.agent_id = $2 AND p.channel_id = c.id
  WHERE m.user_id = $1 AND c.server_id IS NOT NULL AND NOT c.is_archived
  ORDER BY c.position, c.created_at LIMIT 5000`;

interface NoPolicy {
  mode: null;
}

interface ServerRow {
  id: string;
  name: string;
  slug: string | null;
  iconUrl: string | null;
}

interface ChannelRow {
  id: string;
  serverId: string;
  name: string;
  type: string;
  kind: string;
  isPrivate: boolean;
}

/** The servers and channels of a bot, and its policies there (contract §4), in two queries. */
export class AgentConfig {
  private readonly database: Database;
  private readonly access: AgentAccess;

  constructor(database: Database, access: AgentAccess) {
    this.database = database;
    this.access = access;
  }

  async get(actor: Actor, agentId: string): Promise<z.input<typeof agentConfigSchema>> {
    const agent = await this.access.readable(actor, agentId);
    const [servers, channels] = await Promise.all([
      this.database.rows<ServerRow & (Policy | NoPolicy)>(joinedServers, [
        agent.user_id,
        agentId,
        actor.userId === agent.user_id ? null : actor.userId,
      ]),
      this.database.rows<ChannelRow & (Policy | NoPolicy)>(joinedChannels, [agent.user_id, agentId]),
    ]);
    const byServer = Map.groupBy(channels, (channel) => channel.serverId);
    return {
      agentId,
      userId: agent.user_id,
      ownerId: agent.owner_id,
      servers: servers.map((server) => {
        const defaultPolicy = policyPart(given(server));
        const own = byServer.get(server.id) ?? [];
        return {
          id: server.id,
          name: server.name,
          slug: server.slug,
          iconUrl: server.iconUrl,
          defaultPolicy,
          channels: own.map((channel) => channelPart(channel, given(channel) ?? defaultPolicy)),
        };
      }),
    };
  }
}

function channelPart({ id, name, type, kind, isPrivate }: ChannelRow, policy: Policy) {
  return { id, name, type, kind, isPrivate, policy: policyPart(policy) };
}

function given(row: Policy | NoPolicy): Policy | undefined {
  return row.mode === null ? undefined : row;
}
