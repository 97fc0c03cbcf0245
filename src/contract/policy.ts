import { z } from 'zod';
import { durableEvent } from './event.ts';
import { idSchema, jsonObjectSchema, omittable, record, timeSchema } from './schema.ts';

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

/** Beside what follows from both. */
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

/** The effective policy of a bot in a channel, wherever it comes from. */
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

/** What may be set; what is left out stays, or is as for `replyAll` if there was nothing. */
const policyInput = z.object({
  mode: omittable(z.enum(policyModes)),
  mentionOnly: omittable(z.boolean()),
  reply: omittable(z.boolean()),
  listen: omittable(z.boolean()),
  config: omittable(jsonObjectSchema(maxConfigBytes)),
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
  buddyUserId: omittable(idSchema),
  setBy: omittable(z.enum(['owner', 'server'])).describe(
    "For whom it is set; by default for the owner if that is who calls, else for the server's admins.",
  ),
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
