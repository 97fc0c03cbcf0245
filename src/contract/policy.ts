import { z } from 'zod';
import { agentParam } from './agent.ts';
import { auditAction } from './audit-action.ts';
import { calls, slugParam, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { doneSchema, idSchema, jsonObjectSchema, record, timeSchema } from './schema.ts';

export const policyModes = ['replyAll', 'mentionOnly', 'custom', 'disabled'] as const;
export type PolicyMode = (typeof policyModes)[number];

/** What a bot may do in a channel. */
export interface Policy {
  mode: PolicyMode;
  mentionOnly: boolean;
  reply: boolean;
  listen: boolean;
  config: Record<string, unknown>;
}

export const maxConfigBytes = 8 * 1024;

const flags = {
  mentionOnly: z.boolean().describe('The bot hears only what mentions it, answers it, or is in its threads.'),
  reply: z.boolean().describe('Whether the bot may write.'),
  listen: z.boolean().describe('Whether the bot hears anything at all.'),
  config: z.record(z.string(), z.unknown()),
};

const halfSchema = record('PolicyHalf', { mode: z.enum(policyModes), ...flags });

/** The two halves, beside their combination. */
const halves = {
  owner: halfSchema.nullable().describe("What the bot's owner has set."),
  server: halfSchema.nullable().describe("What the server's admins have set. Of each flag the stricter one holds."),
};

export const policySchema = record('AgentPolicy', {
  id: idSchema,
  agentId: idSchema,
  serverId: idSchema.nullable(),
  channelId: idSchema.nullable().describe('Null: the default of the server.'),
  mode: z.enum(policyModes),
  ...flags,
  ...halves,
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

/** The effective policy of a bot in a channel, from any source. */
const effectivePolicySchema = record('EffectivePolicy', { mode: z.enum(policyModes), ...flags });

/** The policy of a channel in the form of buddy clients. */
export const buddyPolicySchema = effectivePolicySchema.extend({
  ...halves,
  channelId: idSchema,
  agentId: idSchema,
  buddyUserId: idSchema,
});

/** The default policy of a bot in a server. */
export const serverPolicySchema = effectivePolicySchema.extend({
  ...halves,
  serverId: idSchema,
  agentId: idSchema,
  buddyUserId: idSchema,
});

/**
 * The settable fields; an omitted one stays, or is as for `replyAll` if there was no policy. None of them can be null: what
 * a bot may do must not depend on what someone takes that to mean.
 */
const policyInput = z.object({
  mode: z.enum(policyModes).optional(),
  mentionOnly: z.boolean().optional(),
  reply: z.boolean().optional(),
  listen: z.boolean().optional(),
  config: jsonObjectSchema(maxConfigBytes).optional(),
});
export type PolicyInput = z.output<typeof policyInput>;

const serverRefSchema = z.string().min(1).max(100).describe('Id or slug of a server.');

const flatPolicySchema = policyInput
  .extend({ serverId: serverRefSchema.nullish(), channelId: idSchema.nullish() })
  .refine((policy) => policy.serverId != null || policy.channelId != null, {
    path: ['serverId'],
    message: 'is needed where there is no channelId',
  });

/** One policy or several. */
export const setPoliciesSchema = z.union([
  z.object({ policies: z.array(flatPolicySchema).min(1).max(100) }),
  flatPolicySchema,
]);
export const setPoliciesAnswerSchema = z.union([policySchema, z.array(policySchema)]);

export const listPoliciesSchema = z.object({ serverId: serverRefSchema.optional() });

export const setBuddyPolicySchema = policyInput.extend({
  buddyUserId: idSchema.optional(),
  setBy: z
    .enum(['owner', 'server'])
    .optional()
    .describe("For whom it is set; by default for the owner if that is who calls, else for the server's admins."),
});

export const setServerPolicySchema = policyInput;

const configServerSchema = z.object({
  id: idSchema,
  name: z.string(),
  slug: z.string().nullable(),
  iconUrl: z.string().nullable(),
  defaultPolicy: effectivePolicySchema,
  channels: z.array(
    z.object({
      id: idSchema,
      name: z.string(),
      type: z.string(),
      kind: z.string(),
      isPrivate: z.boolean(),
      policy: effectivePolicySchema,
    }),
  ),
});

export const agentConfigSchema = z.object({
  agentId: idSchema,
  userId: idSchema,
  ownerId: idSchema,
  servers: z.array(configServerSchema),
});

export const policyChanged = durableEvent({
  name: 'agent:policy-changed',
  summary: 'What this bot may hear and say somewhere has changed; null: back to the default.',
  room: 'user',
  payload: z.object({
    agentId: idSchema,
    serverId: idSchema.nullable(),
    channelId: idSchema.nullable(),
    policy: policySchema.nullable(),
  }),
});

const params = { id: agentParam };
const inChannel = {
  path: '/api/channels/:channelId/agents/:agentId/policy',
  params: { channelId: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.'), agentId: agentParam },
} as const;
const inServer = {
  path: '/api/servers/:id/agents/:agentId/policy',
  params: { id: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.'), agentId: agentParam },
} as const;

export const botPolicy = auditAction({
  name: 'bot.policy',
  summary: 'The server limits what a bot gets and posts in another way.',
  // What is in the configuration is between the bot and those who set it.
  fields: ['mode', 'mentionOnly', 'reply', 'listen', 'isConfigChanged'],
});

export const policyCalls = calls('Agents', {
  getAgentConfig: {
    method: 'GET',
    path: '/api/agents/:id/config',
    summary: 'Where the bot is, and what it may hear and say there; for its owner and the bot itself.',
    params,
    answer: agentConfigSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  listPolicies: {
    method: 'GET',
    path: '/api/agents/:id/policies',
    summary: 'The policies set for the bot.',
    params,
    query: listPoliciesSchema,
    answer: z.array(policySchema),
    errors: ['AGENT_NOT_FOUND', 'SERVER_NOT_FOUND'],
  },
  setPolicies: {
    method: 'PUT',
    path: '/api/agents/:id/policies',
    summary: 'Set a policy for a channel, or without one the default of a server; or several, all or none.',
    params,
    body: setPoliciesSchema,
    answer: setPoliciesAnswerSchema,
    errors: ['AGENT_NOT_FOUND', 'SERVER_NOT_FOUND', 'CHANNEL_NOT_FOUND', 'FORBIDDEN'],
  },
  deletePolicy: {
    method: 'DELETE',
    path: '/api/agents/:id/policies/:policyId',
    summary: 'Remove a policy; the default applies again.',
    params: { id: agentParam, policyId: uuidParam('POLICY_NOT_FOUND', 'Id of the policy.') },
    answer: doneSchema,
    errors: ['AGENT_NOT_FOUND', 'POLICY_NOT_FOUND', 'SERVER_NOT_FOUND', 'FORBIDDEN'],
  },
  setChannelPolicy: {
    ...inChannel,
    method: 'PUT',
    summary:
      "Set a bot's policy in a channel: its owner for itself, admins for the server. Of both the stricter holds.",
    body: setBuddyPolicySchema,
    answer: buddyPolicySchema,
    errors: ['CHANNEL_NOT_FOUND', 'SERVER_NOT_FOUND', 'AGENT_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'FORBIDDEN'],
    audit: [botPolicy],
  },
  getChannelPolicy: {
    ...inChannel,
    method: 'GET',
    summary: 'The policy that applies to a bot in a channel, for those who are in it.',
    answer: buddyPolicySchema,
    errors: ['CHANNEL_NOT_FOUND', 'AGENT_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  setServerPolicy: {
    ...inServer,
    method: 'PUT',
    summary: "Set the server's default policy for a bot; for admins. Its owner cannot undo it.",
    body: setServerPolicySchema,
    answer: serverPolicySchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'AGENT_NOT_FOUND'],
    audit: [botPolicy],
  },
  getServerPolicy: {
    ...inServer,
    method: 'GET',
    summary: 'The default policy of a bot in a server, for members.',
    answer: serverPolicySchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'AGENT_NOT_FOUND'],
  },
});
