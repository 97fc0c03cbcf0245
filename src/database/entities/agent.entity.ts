import { defineEntity, p } from '@mikro-orm/core';
import type { AgentStatus, SlashCommand } from '../../contract/agent.ts';
import type { Policy, PolicyMode } from '../../contract/policy.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A token with which a cloud runtime calls the model proxy, and nothing else (contract §8). */
const ModelTokenSchema = defineEntity({
  name: 'ModelToken',
  tableName: 'model_tokens',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    runtimeId: p.string().columnType('text'),
    templateSlug: p.string().columnType('text').nullable(),
    /** Null: every model the proxy offers. */
    models: p.json<string[]>().columnType('json').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    expiresAt: p.datetime(3),
    /** The session that made it; null: made by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class ModelToken extends ModelTokenSchema.class {}
ModelTokenSchema.setClass(ModelToken);

/** Usage in a day. It outlives the tokens, so that bills can still be explained. */
const ModelUsageSchema = defineEntity({
  name: 'ModelUsage',
  tableName: 'model_usage',
  primaryKeys: ['userId', 'day', 'tokenId', 'model'],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    day: p.date().primary(),
    /** All zeros: used with an access token. */
    tokenId: p.uuid().primary(),
    model: p.string().columnType('text').primary(),
    requests: p.bigint('number'),
    promptTokens: p.bigint('number'),
    completionTokens: p.bigint('number'),
  },
});

export class ModelUsage extends ModelUsageSchema.class {}
ModelUsageSchema.setClass(ModelUsage);

/** A bot: its user writes and reads, its owner manages it (contract §4). */
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

/** What a bot may receive and send: in one channel, or (without one) in all channels of a server without a policy. */
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
    /** The policies set by the owner and by the server's admins; the columns above hold their combination. */
    ownerHalf: p.json<Policy>().columnType('jsonb').nullable(),
    serverHalf: p.json<Policy>().columnType('jsonb').nullable(),
    /** Nodes that write the halves increment it; a trigger splits the writes of older nodes. */
    revision: p.integer().default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class AgentPolicy extends AgentPolicySchema.class {}
AgentPolicySchema.setClass(AgentPolicy);

/** The address that receives the events a bot would get on its sockets. */
const WebhookSchema = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    agentId: () => p.oneToOne(Agent).mapToPk().fieldName('agent_id').primary().deleteRule('cascade'),
    url: p.string().columnType('text'),
    /** Sealed (see SealedText), as are those before it. */
    secret: p.string().columnType('text'),
    /** One or more, newest first, separated by spaces. */
    previousSecret: p.string().columnType('text').nullable(),
    /** The previous secrets sign too until then. */
    previousUntil: p.datetime(3).nullable(),
    /**
     * `dead`: given up after failing for too long; `gone`: the receiver answered 410; `paused`: its owner has to confirm it.
     * Nothing is sent in any of them.
     */
    state: p.string().columnType('text').$type<'active' | 'dead' | 'gone' | 'paused'>().default('active'),
    stoppedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    /** The session that set its address; null: set by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class Webhook extends WebhookSchema.class {}
WebhookSchema.setClass(Webhook);

/** How far the log of one room has been delivered to a webhook. */
const WebhookCursorSchema = defineEntity({
  name: 'WebhookCursor',
  tableName: 'webhook_cursors',
  primaryKeys: ['agentId', 'streamId'],
  properties: {
    agentId: () => p.manyToOne(Webhook).mapToPk().fieldName('agent_id').primary().deleteRule('cascade').index(false),
    /** The channel, or the bot's own user. */
    streamId: p.uuid().primary(),
    kind: p.string().columnType('text').$type<'channel' | 'user'>(),
    /** When the bot entered the room; a bot that returns starts afresh, without the events it missed meanwhile. */
    enteredAt: p.datetime(3),
    /** Everything up to here was delivered, or not meant for the bot. */
    seq: p.bigint('number'),
    /** Failures in a row of the next event. */
    attempts: p.integer().default(0),
    failingSince: p.datetime(3).nullable(),
    failedAt: p.datetime(3).nullable(),
    error: p.string().columnType('text').nullable(),
    deliveredAt: p.datetime(3).nullable(),
    /** Not retried before. */
    dueAt: p.datetime(3).defaultRaw('now()'),
    /** The current lease holder; only it moves the cursor. */
    lease: p.uuid().nullable(),
    leasedUntil: p.datetime(3).nullable(),
  },
});

export class WebhookCursor extends WebhookCursorSchema.class {}
WebhookCursorSchema.setClass(WebhookCursor);
