import type { InferResult } from 'kysely';
import type { z } from 'zod';
import { openPolicy } from '../../../access/policy.ts';
import type { Actor } from '../../../contract/actor.ts';
import type { agentConfigSchema, Policy } from '../../../contract/policy.ts';
import type { Database, Queries } from '../../../database/database.ts';
import type { AgentAccess, AgentRow } from '../../accounts/agent.access.ts';

/** The policy of a place; all null where it has none. */
type PolicyOrNone = { [K in keyof Policy]: Policy[K] | null };

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
    const { db } = this.database;
    const [servers, channels] = await Promise.all([
      joinedServers(db, agent, actor.userId).execute(),
      joinedChannels(db, agent).execute(),
    ]);
    const byServer = Map.groupBy(channels, (channel) => channel.serverId);
    return {
      agentId,
      userId: agent.userId,
      ownerId: agent.ownerId,
      servers: servers.map((server) => {
        const defaultPolicy = given(server) ?? openPolicy;
        const own = byServer.get(server.id) ?? [];
        return {
          id: server.id,
          name: server.name,
          slug: server.slug ?? null,
          iconUrl: server.iconUrl ?? null,
          defaultPolicy,
          channels: own.map((channel) => channelPart(channel, given(channel) ?? defaultPolicy)),
        };
      }),
    };
  }
}

const policyColumns = ['p.mode', 'p.mentionOnly', 'p.reply', 'p.listen', 'p.config'] as const;

/** The servers of a bot and its default policies there; its owner does not see those that keep it without them. */
function joinedServers(db: Queries, agent: AgentRow, readerId: string) {
  return db
    .selectFrom('ServerMember as m')
    .innerJoin('Server as s', 's.id', 'm.serverId')
    .innerJoin('ServerMember as o', (on) => on.onRef('o.serverId', '=', 's.id').on('o.userId', '=', readerId))
    .leftJoin('AgentPolicy as p', (on) =>
      on.on('p.agentId', '=', agent.id).onRef('p.serverId', '=', 's.id').on('p.channelId', 'is', null),
    )
    .where('m.userId', '=', agent.userId)
    .orderBy('m.joinedAt')
    .orderBy('s.id')
    .limit(1000)
    .select(['s.id', 's.name', 's.slug', 's.iconUrl', ...policyColumns])
    .$narrowType<{ config: Record<string, unknown> | null }>();
}

/** The channels of a bot in servers, with its policies there. */
function joinedChannels(db: Queries, agent: AgentRow) {
  return db
    .selectFrom('ChannelMember as m')
    .innerJoin('Channel as c', 'c.id', 'm.channelId')
    .leftJoin('AgentPolicy as p', (on) => on.on('p.agentId', '=', agent.id).onRef('p.channelId', '=', 'c.id'))
    .where('m.userId', '=', agent.userId)
    .where('c.serverId', 'is not', null)
    .where('c.isArchived', '=', false)
    .orderBy('c.position')
    .orderBy('c.createdAt')
    .limit(5000)
    .select(['c.id', 'c.serverId', 'c.name', 'c.type', 'c.kind', 'c.isPrivate', ...policyColumns])
    .$narrowType<{ config: Record<string, unknown> | null }>();
}

type ChannelRow = InferResult<ReturnType<typeof joinedChannels>>[number];

function channelPart({ id, name, type, kind, isPrivate }: ChannelRow, policy: Policy) {
  return { id, name, type, kind, isPrivate, policy };
}

function given({ mode, mentionOnly, reply, listen, config }: PolicyOrNone): Policy | undefined {
  if (mode === null || mentionOnly === null || reply === null || listen === null || config === null) return undefined;
  return { mode, mentionOnly, reply, listen, config };
}
