import { defineEntity, p } from '@mikro-orm/core';
import type { AgentStatus, SlashCommand } from '../../contract/agent.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A bot: its user writes and reads, its owner decides about it (contract §4). */
const AgentSchema = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').unique(),
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').deleteRule('cascade').index(),
    status: p.string().columnType('text').$type<AgentStatus>(),
    config: p.json<Record<string, unknown>>().columnType('json'),
    /** Its last heartbeat. */
    lastHeartbeat: p.datetime(3).nullable(),
    /** When it was last known to be alive, by a heartbeat or a socket; the uptime is counted up to here. */
    lastSeenAt: p.datetime(3).nullable(),
    onlineSeconds: p.double().default(0),
    slashCommands: p.json<SlashCommand[]>().columnType('json').nullable(),
    usageSnapshot: p.json<Record<string, unknown>>().columnType('json').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
  },
});

export class Agent extends AgentSchema.class {}
AgentSchema.setClass(Agent);

/** A token that was issued; the JWT itself is not stored. */
const AgentTokenSchema = defineEntity({
  name: 'AgentToken',
  tableName: 'agent_tokens',
  properties: {
    id: p.uuid().primary(),
    agentId: () => p.manyToOne(Agent).mapToPk().fieldName('agent_id').deleteRule('cascade').index(),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** Refused from here on: its expiry, or ten minutes after a newer one was issued. */
    endsAt: p.datetime(3),
    /** The session that made it; null: made by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class AgentToken extends AgentTokenSchema.class {}
AgentTokenSchema.setClass(AgentToken);
