import { z } from 'zod';
import { displayNameSchema, smallUserSchema } from './account.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import {
  type CommandOption,
  commandName,
  commandOptionSchema,
  maxOptions,
  sentOptionsSchema,
} from './command-option.ts';
import { durableEvent } from './event.ts';
import { pictureErrors, pictureUrlSchema } from './picture.ts';
import { doneSchema, idSchema, jsonObjectSchema, record, textSchema, timeSchema, withDefault } from './schema.ts';
import { sentUsernameSchema, usernameSchema } from './username.ts';

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
  avatarUrl: pictureUrlSchema.nullish(),
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
  agentFields.extend({ name: sentUsernameSchema.optional(), displayName: displayNameSchema.optional() }),
);

/** The statuses that a bot may report: trouble, and recovery. */
export const heartbeatSchema = z.object({ status: z.enum(['running', 'error']).nullish() });

export const heartbeatAnswerSchema = z.object({
  ok: z.literal(true),
  status: z.enum(agentStatuses),
  lastHeartbeat: timeSchema,
  expiresAt: timeSchema.describe('Without another heartbeat or a socket the bot is offline from then on.'),
});

/** What the commands of a bot are at most together, as JSON: each of its channels is told of them. */
const maxCommandsBytes = 64 * 1024;

export const slashCommandSchema = z.object({
  name: commandName,
  description: textSchema(200),
  aliases: z.array(commandName).max(10),
  options: z
    .array(commandOptionSchema)
    .max(maxOptions)
    .nullable()
    .describe('What it asks for, so that it is invoked. Null: it is sent as the text of a message.'),
});

/** As it is stored: nodes of earlier versions keep no options. */
export type SlashCommand = Omit<z.output<typeof slashCommandSchema>, 'options'> & {
  options?: CommandOption[] | null;
};

const sentCommandSchema = slashCommandSchema.extend({
  description: withDefault(slashCommandSchema.shape.description, ''),
  aliases: withDefault(slashCommandSchema.shape.aliases, []),
  options: withDefault(sentOptionsSchema.nullable(), null),
});

export const slashCommandsSchema = z.object({
  commands: z
    .array(sentCommandSchema)
    .max(50)
    .refine((commands) => {
      const names = commands.flatMap((command) => [command.name, ...command.aliases]);
      return new Set(names).size === names.length;
    }, 'must not use a name twice')
    .refine(
      (commands) => Buffer.byteLength(JSON.stringify(commands)) <= maxCommandsBytes,
      `must have at most ${maxCommandsBytes / 1024} KiB`,
    ),
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
  summary: 'The slash commands of a bot of this channel changed, or who may use them; fetch them again.',
  room: 'channel',
  payload: z.object({ channelId: idSchema, agentId: idSchema }),
});

const tag = 'Agents';
export const agentParam = uuidParam('AGENT_NOT_FOUND', 'Id of the agent.');
const params = { id: agentParam };
const heartbeatErrors = ['AGENT_NOT_FOUND', 'AGENT_STOPPED', 'FORBIDDEN'] as const;
const heartbeatSummary = "The bot's own heartbeat: it is alive. It may report trouble (`error`).";

export const agentCalls = calls(tag, {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    summary: 'The agents you own.',
    answer: z.array(agentSchema),
  },
  createAgent: {
    method: 'POST',
    path: '/api/agents',
    summary: 'Create an agent: a bot user with a token. It runs from the start.',
    body: createAgentSchema,
    status: 201,
    answer: agentWithTokenSchema,
    shownOnce: ['token'],
    errors: ['USERNAME_TAKEN', 'AGENT_LIMIT', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN', ...pictureErrors],
  },
  getAgent: {
    method: 'GET',
    path: '/api/agents/:id',
    summary: 'An agent, for its owner and the bot itself.',
    params,
    answer: agentSchema,
    errors: ['AGENT_NOT_FOUND'],
  },
  updateAgent: {
    method: 'PATCH',
    path: '/api/agents/:id',
    summary: 'Change name, display name, avatar or config of an agent.',
    params,
    body: updateAgentSchema,
    answer: agentSchema,
    errors: ['AGENT_NOT_FOUND', 'USERNAME_TAKEN', 'FORBIDDEN', ...pictureErrors],
  },
  deleteAgent: {
    method: 'DELETE',
    path: '/api/agents/:id',
    summary: 'Delete an agent: its tokens end at once; what it wrote stays.',
    params,
    answer: doneSchema,
    errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  },
  createAgentToken: {
    method: 'POST',
    path: '/api/agents/:id/token',
    confirmed: true,
    summary:
      'A new token for the bot; older ones hold for ten more minutes, and a webhook is paused until you confirm it.',
    params,
    status: 201,
    answer: agentTokenSchema,
    shownOnce: ['token'],
    errors: ['AGENT_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
  },
  startAgent: {
    method: 'POST',
    path: '/api/agents/:id/start',
    summary: "Make the bot's tokens work (again).",
    params,
    answer: agentDoneSchema,
    errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  },
  stopAgent: {
    method: 'POST',
    path: '/api/agents/:id/stop',
    summary: "Refuse the bot's tokens and close its sockets until it is started again.",
    limit: null,
    params,
    answer: agentDoneSchema,
    errors: ['AGENT_NOT_FOUND', 'FORBIDDEN'],
  },
  sendHeartbeat: {
    method: 'POST',
    path: '/api/agents/:id/heartbeat',
    summary: heartbeatSummary,
    params,
    body: heartbeatSchema,
    answer: heartbeatAnswerSchema,
    errors: heartbeatErrors,
  },
});

export const agentClientEvents = clientEvents(tag, {
  'agent:heartbeat': {
    summary: heartbeatSummary,
    // It may have no payload; not every Socket.IO client distinguishes that from null.
    payload: heartbeatSchema.nullish(),
    ack: heartbeatAnswerSchema,
    errors: heartbeatErrors,
    limit: 'events',
  },
});
