import { z } from 'zod';
import { displayNameSchema, smallUserSchema } from './account.ts';
import { calls, rawAnswer, textParam, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { hookCreate, hookDelete, hookRenew, hookUpdate } from './hook-actions.ts';
import { messageSchema } from './message.ts';
import { pictureErrors, pictureUrlSchema } from './picture.ts';
import { doneSchema, idSchema, record, textSchema, timeSchema, withDefault } from './schema.ts';

/** What an incoming webhook takes: each format is one file of `features/hooks/formats`. */
export const hookFormats = ['parley', 'slack', 'discord', 'github', 'gitlab', 'grafana', 'alertmanager'] as const;
export type HookFormatName = (typeof hookFormats)[number];

/** How many incoming webhooks a channel has at most (contract §6, Incoming webhooks). */
export const maxHooks = 20;

const formatSchema = z
  .enum(['auto', ...hookFormats])
  .describe('What its sender speaks; `auto`: it is told by headers and fields, as the end of the address can, too.');

export const hookSchema = record('Hook', {
  id: idSchema,
  channelId: idSchema,
  serverId: idSchema,
  userId: idSchema.describe('The author of its messages, a bot that is in no server and that nobody can write to.'),
  name: z.string(),
  avatarUrl: z.string().nullable(),
  format: formatSchema,
  isSigned: z.boolean().describe('Only what is signed with its secret is taken.'),
  createdBy: idSchema.nullable(),
  createdByUser: smallUserSchema.nullable().describe('It stays when they leave, and when their account is deleted.'),
  createdAt: timeSchema,
  lastUsedAt: timeSchema.nullable().describe('When something was last taken, to the minute.'),
});

const addressedSchema = hookSchema.extend({
  token: z.string().nullable().describe('`hook_…`: who knows it writes in the channel. Shown this once.'),
  url: z.string().nullable().describe('The address to give to the sender, with the token. Shown this once.'),
});

const secretSchema = textSchema(200, z.string().min(8, 'must have at least 8 characters'));

export const createHookSchema = z
  .object({
    name: displayNameSchema.describe('Not the name of a person here, nor one that looks like a username.'),
    avatarUrl: pictureUrlSchema.nullish().describe('A picture that was uploaded here, and is no person’s.'),
    format: withDefault(formatSchema, 'auto'),
    signingSecret: secretSchema.nullish().describe('The secret that the sender signs with, or sends (GitLab).'),
  })
  .meta({ example: { name: 'Builds', format: 'github', signingSecret: 'a secret of both' } });

export const updateHookSchema = z
  .object({
    name: createHookSchema.shape.name.optional(),
    avatarUrl: createHookSchema.shape.avatarUrl,
    format: formatSchema.optional(),
    signingSecret: secretSchema.nullable().optional().describe('Null: it takes what is not signed, too.'),
  })
  .meta({ example: { name: 'Builds of main' } });

/** What Discord's own clients read of an answer with `?wait=true`. */
const discordMessageSchema = record('DiscordMessage', {
  id: idSchema,
  type: z.literal(0),
  content: z.string(),
  channel_id: idSchema,
  webhook_id: idSchema,
  author: z.object({ id: idSchema, username: z.string(), avatar: z.null(), bot: z.literal(true) }),
  timestamp: timeSchema,
  edited_timestamp: timeSchema.nullable(),
  attachments: z.array(z.unknown()),
  embeds: z.array(z.unknown()),
  mentions: z.array(z.unknown()),
  mention_roles: z.array(z.unknown()),
  mention_everyone: z.literal(false),
  pinned: z.literal(false),
  tts: z.literal(false),
  components: z.array(z.unknown()),
  flags: z.literal(0),
});

const takenSchema = record('HookAnswer', {
  ok: z.literal(true),
  success: z.literal(true),
  isHeld: z.boolean().describe('It waits for a moderator.'),
  messages: z.array(messageSchema).describe('What is too long for one message comes as several.'),
});

/** What Discord's own clients read of an address before they post to it. */
const discordHookSchema = record('DiscordHook', {
  id: idSchema,
  type: z.literal(1),
  name: z.string(),
  avatar: z.null(),
  channel_id: idSchema,
  guild_id: idSchema,
  application_id: z.null(),
  token: z.string(),
});

const postQuerySchema = z.object({
  wait: z.string().optional().describe('`true`: answer as Discord does, with the message.'),
  thread_id: z.string().optional().describe('A thread of the channel, as Discord has it.'),
});

const params = { id: channelParam };
const hookParams = { ...params, hookId: uuidParam('HOOK_NOT_FOUND', 'Id of the incoming webhook.') };
const tokenParam = textParam('HOOK_NOT_FOUND', 'The token of the incoming webhook.');
const errors = ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'] as const;
const careErrors = [...errors, 'INSUFFICIENT_PAT_SCOPE'] as const;
const postErrors = [
  ...(['HOOK_NOT_FOUND', 'HOOK_SIGNATURE_INVALID', 'MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ...(['BODY_TOO_LARGE', 'CHANNEL_ARCHIVED', 'THREAD_NOT_FOUND', 'THREAD_ARCHIVED', 'MESSAGE_NOT_FOUND'] as const),
  ...(['MESSAGE_REFUSED', 'HELD_LIMIT', 'BANNED', 'CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'] as const),
] as const;

const formatParam = textParam('HOOK_NOT_FOUND', `One of ${hookFormats.join(', ')}.`);

const ownMessageParams = {
  token: tokenParam,
  messageId: uuidParam('MESSAGE_NOT_FOUND', 'Id of a message of its own.'),
};
const formattedParams = { ...ownMessageParams, format: formatParam };
const ownMessageErrors = ['HOOK_NOT_FOUND', 'HOOK_SIGNATURE_INVALID', 'BODY_TOO_LARGE', 'MESSAGE_NOT_FOUND'] as const;

const post = {
  auth: 'none',
  query: postQuerySchema,
  answer: z.union([takenSchema, discordMessageSchema]),
  errors: postErrors,
  limit: 'hookPosts',
} as const;

const getMessage = {
  method: 'GET',
  auth: 'none',
  summary: 'A message that the incoming webhook has posted, as Discord has it.',
  answer: discordMessageSchema,
  errors: ownMessageErrors,
  limit: 'hookPosts',
} as const;

const editMessage = {
  method: 'PATCH',
  auth: 'none',
  summary: 'Replace the text of a message that it has posted, by a body as for posting. Answers as `?wait=true` does.',
  answer: post.answer,
  errors: postErrors,
  limit: 'hookPosts',
} as const;

const deleteMessage = {
  method: 'DELETE',
  auth: 'none',
  summary: 'Delete a message that it has posted. Answers 204, without a body.',
  produces: '*/*',
  answer: rawAnswer,
  errors: [...ownMessageErrors, 'BANNED'],
  limit: 'hookPosts',
} as const;

export const hookCalls = calls('Incoming webhooks', {
  listHooks: {
    method: 'GET',
    path: '/api/channels/:id/hooks',
    summary: 'The incoming webhooks of a channel, without their addresses. Needs channel:update there.',
    params,
    answer: z.array(hookSchema),
    errors,
  },
  createHook: {
    method: 'POST',
    path: '/api/channels/:id/hooks',
    summary: 'Make an incoming webhook. Needs channel:update, and a session of one’s own.',
    params,
    body: createHookSchema,
    status: 201,
    answer: addressedSchema,
    shownOnce: ['token', 'url'],
    errors: [...careErrors, ...pictureErrors, 'HOOK_LIMIT'],
    audit: [hookCreate],
  },
  updateHook: {
    method: 'PATCH',
    path: '/api/channels/:id/hooks/:hookId',
    summary: 'Change its name, picture, format or secret. Needs channel:update, and a session of one’s own.',
    params: hookParams,
    body: updateHookSchema,
    answer: hookSchema,
    errors: [...careErrors, ...pictureErrors, 'HOOK_NOT_FOUND'],
    audit: [hookUpdate],
  },
  renewHook: {
    method: 'POST',
    path: '/api/channels/:id/hooks/:hookId/token',
    summary: 'Give it another address; the one before ends at once. Needs channel:update, and a session of one’s own.',
    params: hookParams,
    status: 201,
    answer: addressedSchema,
    shownOnce: ['token', 'url'],
    errors: [...careErrors, 'HOOK_NOT_FOUND'],
    audit: [hookRenew],
  },
  deleteHook: {
    method: 'DELETE',
    path: '/api/channels/:id/hooks/:hookId',
    summary: 'Delete it. What it wrote stays, by its name. Needs channel:update.',
    params: hookParams,
    answer: doneSchema,
    errors: [...errors, 'HOOK_NOT_FOUND'],
    audit: [hookDelete],
  },
  getHookByToken: {
    method: 'GET',
    path: '/hooks/:token',
    auth: 'none',
    summary: 'What Discord’s clients ask of an address.',
    params: { token: tokenParam },
    answer: discordHookSchema,
    errors: ['HOOK_NOT_FOUND'],
  },
  postToHook: {
    ...post,
    method: 'POST',
    path: '/hooks/:token',
    summary:
      'Post by an incoming webhook: JSON, or a form with it in `payload`, in any of its formats. Slack’s gets the text `ok`, Discord’s 204 without `?wait=true`.',
    params: { token: tokenParam },
  },
  postToHookAs: {
    ...post,
    method: 'POST',
    path: '/hooks/:token/:format',
    summary: 'The same, in the format that the address names.',
    params: { token: tokenParam, format: formatParam },
  },
  getHookMessage: { ...getMessage, path: '/hooks/:token/messages/:messageId', params: ownMessageParams },
  getHookMessageAs: { ...getMessage, path: '/hooks/:token/:format/messages/:messageId', params: formattedParams },
  editHookMessage: { ...editMessage, path: '/hooks/:token/messages/:messageId', params: ownMessageParams },
  editHookMessageAs: { ...editMessage, path: '/hooks/:token/:format/messages/:messageId', params: formattedParams },
  deleteHookMessage: { ...deleteMessage, path: '/hooks/:token/messages/:messageId', params: ownMessageParams },
  deleteHookMessageAs: { ...deleteMessage, path: '/hooks/:token/:format/messages/:messageId', params: formattedParams },
});
