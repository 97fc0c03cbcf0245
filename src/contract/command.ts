import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { agentParam, slashCommandSchema } from './agent.ts';
import { auditAction } from './audit-action.ts';
import { calls, clientEvents, textParam, uuidParam } from './call.ts';
import { choiceSchema, commandName, maxOptionText, optionValuesSchema } from './command-option.ts';
import { ephemeralEvent } from './event.ts';
import { useSchema } from './interaction.ts';
import { nonceSchema } from './message.ts';
import { doneSchema, idSchema, omittable, record, textSchema, timeSchema, withDefault } from './schema.ts';
import { serverParam } from './server.ts';

/** How long a bot has to suggest values, and how many it may. */
export const completionMs = 3000;
export const maxSuggestions = 25;

const typedSchema = textSchema(maxOptionText).describe('What was typed so far.');
const suggestionsSchema = z.array(choiceSchema).max(maxSuggestions);

const commandRefs = {
  agentId: idSchema,
  command: commandName.describe('Its name, or an alias.'),
  threadId: omittable(idSchema),
};

export const completeCommandSchema = z.object({
  ...commandRefs,
  option: commandName,
  typed: withDefault(typedSchema, ''),
  options: withDefault(optionValuesSchema, {}).describe(
    'What the other options have so far; nothing of it is checked.',
  ),
});

export const suggestionsAnswerSchema = z.object({
  ok: z.literal(true),
  answered: z.boolean().describe('False: the bot did not answer in time, or has none to ask.'),
  choices: suggestionsSchema,
});

export const invokeCommandSchema = z.object({
  ...commandRefs,
  options: withDefault(optionValuesSchema, {}),
  nonce: nonceSchema.nullish().describe('The same one again, within a day, is the same use.'),
});

/** What a bot is asked while someone types (contract §4, Commands). Nothing of it is kept. */
export const completionSchema = z.object({
  id: idSchema.describe('To answer with `command:choices`.'),
  agentId: idSchema,
  serverId: idSchema.nullable(),
  channelId: idSchema,
  threadId: idSchema.nullable(),
  user: smallUserSchema,
  command: z.string(),
  option: z.string(),
  typed: typedSchema,
  options: optionValuesSchema,
  endsAt: timeSchema.describe('Later answers are dropped.'),
});
export type Completion = z.output<typeof completionSchema>;

/** What a bot answers, over its socket or as the response of its webhook. */
export const choicesSchema = z.object({ choices: suggestionsSchema });

export const commandComplete = ephemeralEvent({
  name: 'command:complete',
  summary: 'Someone types a value for a command of this bot: suggest some, with `command:choices`, within 3 s.',
  room: 'user',
  payload: completionSchema,
});

const idsSchema = z
  .array(idSchema)
  .max(50)
  .refine((ids) => new Set(ids).size === ids.length, 'must not have an id twice');

const ruleShape = {
  moderators: z.boolean().describe('All moderators of the server.'),
  roleIds: idsSchema.describe("Those with one of these roles of the server's own."),
  userIds: idsSchema.describe('These members.'),
};

/** Who may use a command in a server, beside its owner and admins, who always may. */
export const commandRuleSchema = record('CommandRule', ruleShape);
export type CommandRule = z.output<typeof commandRuleSchema>;

export const setCommandRuleSchema = z.object({
  moderators: withDefault(ruleShape.moderators, false),
  roleIds: withDefault(ruleShape.roleIds, []),
  userIds: withDefault(ruleShape.userIds, []),
});

export const serverCommandsSchema = z.object({
  ok: z.literal(true),
  rule: commandRuleSchema.nullable().describe('For all commands without a rule of their own; null: everyone.'),
  commands: z.array(slashCommandSchema.extend({ rule: commandRuleSchema.nullable() })),
});

export const botCommands = auditAction({
  name: 'bot.commands',
  summary: 'The server says who may use a command of a bot, or all of them (`*`).',
  fields: ['command', 'moderators', 'roleIds', 'userIds'],
});

/** In the place of a command's name: all that have no rule of their own. */
export const allCommands = '*';

const inServer = { id: serverParam, agentId: agentParam } as const;
const ruleParams = {
  ...inServer,
  command: textParam('COMMAND_NOT_FOUND', 'Name of the command; `*`: all that have no rule of their own.'),
} as const;
const serverErrors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'AGENT_NOT_FOUND'] as const;

/** Who may use the commands of bots, for those who set the policies of bots in a server. */
export const commandRuleCalls = calls('Agents', {
  listServerCommands: {
    method: 'GET',
    path: '/api/servers/:id/agents/:agentId/commands',
    summary: 'The commands of a bot in a server, and who may use them; for admins.',
    params: inServer,
    answer: serverCommandsSchema,
    errors: serverErrors,
  },
  setCommandRule: {
    method: 'PUT',
    path: '/api/servers/:id/agents/:agentId/commands/:command/rule',
    summary: 'Let only some roles and people use a command of a bot; for admins.',
    params: ruleParams,
    body: setCommandRuleSchema,
    answer: commandRuleSchema,
    errors: [...serverErrors, 'COMMAND_NOT_FOUND', 'ROLE_NOT_FOUND', 'NOT_IN_SERVER'],
    audit: [botCommands],
  },
  deleteCommandRule: {
    method: 'DELETE',
    path: '/api/servers/:id/agents/:agentId/commands/:command/rule',
    summary: 'Let everyone use a command of a bot again, or whoever may use all; for admins.',
    params: ruleParams,
    answer: doneSchema,
    errors: serverErrors,
    audit: [botCommands],
  },
});

const refusals = [
  ...(['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'CHANNEL_ARCHIVED', 'ROLE_REQUIRED', 'TIMED_OUT', 'FORBIDDEN'] as const),
  ...(['BLOCKED', 'USER_BLOCKED', 'THREAD_NOT_FOUND', 'THREAD_ARCHIVED', 'AGENT_NOT_FOUND'] as const),
  ...(['COMMAND_NOT_FOUND', 'COMMAND_NOT_ALLOWED', 'AGENT_STOPPED', 'BOT_ABSENT'] as const),
];

const inChannel = { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') } as const;

/** Commands of bots as people use them. */
export const commandCalls = calls('Agents', {
  invokeCommand: {
    method: 'POST',
    path: '/api/channels/:id/commands',
    summary: 'Invoke a command of a bot. Nobody else is told; the bot gets an interaction. Repeats count once.',
    areas: ['messages'],
    params: inChannel,
    body: invokeCommandSchema,
    status: 201,
    mayExist: true,
    answer: useSchema,
    errors: [...refusals, 'USER_NOT_FOUND', 'ATTACHMENT_NOT_FOUND', 'ATTACHMENT_INVALID'],
    audit: { none: 'It is what members do; its bot is told, and says what comes of it.' },
  },
  completeCommand: {
    method: 'POST',
    path: '/api/channels/:id/commands/complete',
    summary:
      'Ask a bot for values of an option of its command; answered within about 3 s, with none if the bot has not.',
    areas: ['messages'],
    params: inChannel,
    body: completeCommandSchema,
    answer: suggestionsAnswerSchema,
    errors: refusals,
    audit: { none: 'It asks, and changes nothing.' },
    limit: 'search',
    repeats: 'never',
  },
});

export const commandClientEvents = clientEvents('Agents', {
  'command:choices': {
    summary: 'The values that a bot suggests, as it was asked by `command:complete`; too late, they are dropped.',
    payload: choicesSchema.extend({ id: idSchema }),
    ack: z.object({}),
    errors: ['FORBIDDEN'],
    limit: 'events',
  },
});
