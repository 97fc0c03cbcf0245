import { z } from 'zod';
import { avatarUrlSchema, displayNameSchema, smallUserSchema, usernameSchema } from './account.ts';
import { durableEvent } from './event.ts';
import { idSchema, jsonObjectSchema, record, textSchema, timeSchema, withDefault } from './schema.ts';

export const agentStatuses = ['running', 'stopped', 'error'] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export const maxNoteBytes = 8 * 1024;

export const agentSchema = record('Agent', {
  id: idSchema,
  userId: idSchema.describe('The bot user.'),
  ownerId: idSchema,
  name: z.string().describe("The bot's username."),
  displayName: z.string(),
  avatarUrl: z.string().nullable(),
  status: z.enum(agentStatuses),
  lastHeartbeat: timeSchema.nullable(),
  totalOnlineSeconds: z.number().int(),
  config: z.record(z.string(), z.unknown()),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  botUser: smallUserSchema,
});

/** The token is shown only once; a repeated Idempotency-Key gets null. */
export const agentWithTokenSchema = agentSchema.extend({ token: z.string().nullable() });
export const agentTokenSchema = z.object({ token: z.string().nullable() });
export const agentDoneSchema = agentSchema.extend({ ok: z.literal(true) });

const agentFields = z.object({
  name: usernameSchema,
  username: z.string().nullish().describe('The same as `name`.'),
  displayName: displayNameSchema.nullish(),
  avatarUrl: avatarUrlSchema.nullish(),
  config: jsonObjectSchema(maxNoteBytes).nullish(),
});

/** `username` is an alias of `name`, and is not passed on beside it. */
function withName(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (!('username' in value)) return value;
  const { username, ...rest } = value;
  return 'name' in rest && rest.name !== null ? rest : { ...rest, name: username };
}

export const createAgentSchema = z.preprocess(withName, agentFields);
export const updateAgentSchema = z.preprocess(
  withName,
  agentFields.extend({ name: usernameSchema.optional(), displayName: displayNameSchema.optional() }),
);

/** The statuses that a bot may report: trouble, and recovery. */
export const heartbeatSchema = z.object({ status: z.enum(['running', 'error']).nullish() });

export const heartbeatAnswerSchema = z.object({
  ok: z.literal(true),
  status: z.enum(agentStatuses),
  lastHeartbeat: timeSchema,
  expiresAt: timeSchema.describe('Without another heartbeat or a socket the bot is offline from then on.'),
});

const commandName = z
  .string()
  .trim()
  .min(1)
  .max(32)
  .regex(/^[\p{L}\p{N}_-]+$/u, 'must be letters, digits, "_" or "-"');

export const slashCommandSchema = z.object({
  name: commandName,
  description: textSchema(200),
  aliases: z.array(commandName).max(10),
});
export type SlashCommand = z.output<typeof slashCommandSchema>;

const sentCommandSchema = slashCommandSchema.extend({
  description: withDefault(slashCommandSchema.shape.description, ''),
  aliases: withDefault(slashCommandSchema.shape.aliases, []),
});

export const slashCommandsSchema = z.object({
  commands: z
    .array(sentCommandSchema)
    .max(50)
    .refine((commands) => {
      const names = commands.flatMap((command) => [command.name, ...command.aliases]);
      return new Set(names).size === names.length;
    }, 'must not use a name twice'),
});
export const slashCommandsAnswerSchema = z.object({ ok: z.literal(true), commands: z.array(slashCommandSchema) });

export const channelCommandsSchema = z.object({
  ok: z.literal(true),
  commands: z.array(slashCommandSchema.extend({ agentId: idSchema, botUser: smallUserSchema })),
});

export const usageSnapshotSchema = jsonObjectSchema(maxNoteBytes);
export const usageSnapshotAnswerSchema = z.object({
  ok: z.literal(true),
  snapshot: z.record(z.string(), z.unknown()).nullable(),
});

export const addAgentsSchema = z.object({ agentIds: z.array(idSchema).min(1).max(50) });
export const addedAgentsSchema = z.object({
  added: z.array(idSchema),
  failed: z.array(z.object({ agentId: idSchema, error: z.string(), code: z.string() })),
});

export const botRightsSchema = z.object({ workspaceWrite: z.boolean() });

export const slashCommandsUpdated = durableEvent({
  name: 'channel:slash-commands-updated',
  summary: 'A bot of this channel changed its slash commands; fetch them again.',
  room: 'channel',
  payload: z.object({ channelId: idSchema, agentId: idSchema }),
});
