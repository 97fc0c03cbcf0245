import { defineEntity, p } from '@mikro-orm/core';
import type { Policy, PolicyMode } from '../../contract/policy.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Agent } from './agent.entity.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';

/** What a bot may hear and say: in one channel, or (without one) in all channels of a server without their own policy. */
const AgentPolicySchema = defineEntity({
  name: 'AgentPolicy',
  tableName: 'agent_policies',
  uniques: [
    {
      name: 'agent_policies_channel',
      properties: ['agentId', 'channelId'],
      where: { channelId: { $ne: null } },
    },
    { name: 'agent_policies_server', properties: ['agentId', 'serverId'], where: { channelId: null } },
  ],
  properties: {
    id: p.uuid().primary(),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(),
    /** Null for a policy in a DM. */
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').index(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').nullable().deleteRule('cascade').index(),
    mode: p.string().columnType('text').$type<PolicyMode>(),
    mentionOnly: p.boolean(),
    reply: p.boolean(),
    listen: p.boolean(),
    config: p.json<Record<string, unknown>>().columnType('json'),
    /** What the owner and what the server's admins have set; the columns above have what follows from both. */
    ownerHalf: p.json<Policy>().columnType('jsonb').nullable(),
    serverHalf: p.json<Policy>().columnType('jsonb').nullable(),
    /** Nodes that know of the halves count it up; what others write a trigger splits. */
    revision: p.integer().default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class AgentPolicy extends AgentPolicySchema.class {}
AgentPolicySchema.setClass(AgentPolicy);
