import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls, clientEvents, uuidParam } from './call.ts';
import {
  channelArchive,
  channelCreate,
  channelDelete,
  channelOrder,
  channelUnarchive,
  channelUpdate,
} from './channel-actions.ts';
import { durableEvent } from './event.ts';
import { channelKeepDaysSchema } from './keep-days.ts';
import { markReadSchema, readStateSchema, unreadSchema, unreadThreadsSchema } from './read-state.ts';
import { shownInChannel } from './roles.ts';
import {
  descriptionSchema,
  doneSchema,
  idSchema,
  nameSchema,
  omittable,
  record,
  timeSchema,
  withDefault,
} from './schema.ts';
import { serverParam } from './server.ts';

const channelKinds = ['server', 'dm', 'group'] as const;
export const channelTypes = ['text', 'announcement', 'voice'] as const;
export type ChannelKind = (typeof channelKinds)[number];
export type ChannelType = (typeof channelTypes)[number];

/** Whether a channel is of people and no server's: a DM of two, or a group of them (contract §7). */
export const isDirect = (kind: ChannelKind): boolean => kind !== 'server';

/** The seconds that people wait between two messages in a channel, up to six hours; 0: slow mode is off. */
export const slowModeSchema = z.number().int().min(0).max(21_600);

export const channelSchema = record('Channel', {
  id: idSchema,
  serverId: idSchema.nullable(),
  kind: z.enum(channelKinds).describe('`dm`: of two people; `group`: of more, in no server.'),
  name: z.string().describe('Empty for a group that nobody has named: show who is in it.'),
  type: z.enum(channelTypes).describe('In `announcement` channels only admins post; `voice` is only kept.'),
  description: z.string().nullable(),
  topic: z.string().nullable().describe('The description, under its other name.'),
  position: z.number().int(),
  categoryId: idSchema.nullable().describe('The category that it is listed in; null: above all of them.'),
  isPrivate: z.boolean(),
  isArchived: z.boolean(),
  lastMessageAt: timeSchema.nullable(),
  lastSeq: z.number().int().describe("Number of the last event in the channel's log."),
  createdAt: timeSchema,
  updatedAt: timeSchema,
  slowModeSeconds: z
    .number()
    .int()
    .describe('How long people wait between two messages here; 0: not at all. Moderators need not.'),
  keepMessagesDays: channelKeepDaysSchema.describe(
    'Older messages are removed; 0: they are kept for ever; null: as the server decides. Null in direct messages, which are kept.',
  ),
});

export const channelItemSchema = channelSchema
  .extend({
    isMember: z.boolean().describe('Whether you are in it and may read it.'),
    unreadCount: unreadSchema,
    unreadThreads: unreadThreadsSchema,
    lastReadSeq: z.number().int(),
    lastMessagePreview: z.string().nullable().describe('The last message, cut at 200 characters.'),
    permissions: z.array(z.enum(shownInChannel)).describe('What you may do in it, once you are in it.'),
  })
  .meta({ id: 'ChannelItem' });

export const oneChannelSchema = channelItemSchema
  .extend({
    userAId: idSchema.optional().describe('Of a DM only, like the next two.'),
    userBId: idSchema.optional(),
    otherUser: smallUserSchema.optional(),
    members: z.array(smallUserSchema).optional().describe('Of a group only: everyone in it.'),
  })
  .meta({ id: 'OneChannel' });

export const createChannelSchema = z.object({
  name: nameSchema(100),
  type: withDefault(z.enum(channelTypes), 'text'),
  description: descriptionSchema.nullish(),
  topic: descriptionSchema.nullish(),
  isPrivate: withDefault(z.boolean(), false),
  categoryId: idSchema.nullish().describe('One of the server.'),
});

export const updateChannelSchema = z.object({
  name: nameSchema(100).optional(),
  description: descriptionSchema.nullish(),
  topic: descriptionSchema.nullish().describe('The description, under its other name.'),
  slowModeSeconds: slowModeSchema.optional(),
  keepMessagesDays: channelKeepDaysSchema
    .optional()
    .describe(
      'Takes `retention:set` alone. Older messages are removed soon; 0: for ever; null: as the server decides.',
    ),
});

export const positionsSchema = z
  .object({
    channelIds: omittable(z.array(idSchema).max(1000)).describe('In their order; the others follow.'),
    positions: omittable(
      z
        .array(
          z.object({
            id: idSchema,
            position: z.number().int().min(0).max(1_000_000),
            categoryId: idSchema.nullable().optional().describe('Puts it there, or with null in none; else it stays.'),
          }),
        )
        .max(1000),
    ),
  })
  .refine((body) => body.channelIds !== undefined || body.positions !== undefined, {
    path: ['channelIds'],
    message: 'must be given, or positions',
  });

const channelChangeSchema = channelSchema
  .pick({ id: true, name: true, type: true, serverId: true })
  .extend({ channel: channelSchema });

export const channelCreated = durableEvent({
  name: 'channel:created',
  summary:
    'There is a new channel that you may see, or one was unarchived; or one changed that you see without being in it, as admins see private ones.',
  room: 'user',
  payload: channelChangeSchema,
});

export const channelUpdated = durableEvent({
  name: 'channel:updated',
  summary: 'The channel was renamed, described, moved, archived or unarchived, or has another slow mode.',
  room: 'channel',
  payload: channelChangeSchema,
});

export const channelDeleted = durableEvent({
  name: 'channel:deleted',
  summary:
    'The channel was deleted; those who follow only a thread in it get this too. Only what was being sent at that moment may still follow.',
  room: 'channel',
  payload: z.object({ id: idSchema, channelId: idSchema, serverId: idSchema.nullable() }),
});

export const channelMemberAdded = durableEvent({
  name: 'channel:member-added',
  summary: 'You are in a channel from now on.',
  room: 'user',
  retold: true,
  payload: z.object({
    channelId: idSchema,
    serverId: idSchema.nullable(),
    channel: channelSchema,
    existing: z
      .boolean()
      .optional()
      .describe('You were in it before; told to bots when they connect, and when it was archived and is back.'),
  }),
});

export const channelMemberRemoved = durableEvent({
  name: 'channel:member-removed',
  summary: 'You are no longer in a channel; or one that you saw without being in it was deleted.',
  room: 'user',
  payload: z.object({
    channelId: idSchema,
    serverId: idSchema.nullable(),
    gone: z.boolean().optional().describe('The channel itself was deleted or archived; you were not in it.'),
  }),
});

const tag = 'Channels';
export const channelParam = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');
const manageErrors = ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'] as const;
const readErrors = ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'MESSAGE_NOT_FOUND'] as const;

export const channelCalls = calls(tag, {
  createChannel: {
    method: 'POST',
    path: '/api/servers/:serverId/channels',
    summary: 'Create a channel; for admins.',
    params: { serverId: serverParam },
    body: createChannelSchema,
    status: 201,
    answer: channelItemSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_LIMIT', 'CATEGORY_NOT_FOUND'],
    audit: [channelCreate],
  },
  listChannels: {
    method: 'GET',
    path: '/api/servers/:serverId/channels',
    summary: 'The channels of a server that you may see, in their order, with what you have not read in them.',
    params: { serverId: serverParam },
    answer: z.array(channelItemSchema),
    errors: ['SERVER_NOT_FOUND'],
  },
  listArchivedChannels: {
    method: 'GET',
    path: '/api/servers/:serverId/channels/archived',
    summary: 'The archived channels of a server that you may see.',
    params: { serverId: serverParam },
    answer: z.array(channelItemSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  orderChannels: {
    method: 'PATCH',
    path: '/api/servers/:serverId/channels/positions',
    summary: 'Put the channels of a server in order, and into categories; for admins.',
    params: { serverId: serverParam },
    body: positionsSchema,
    answer: z.array(channelItemSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'CHANNEL_NOT_FOUND', 'CATEGORY_NOT_FOUND'],
    audit: [channelOrder],
  },
  getChannel: {
    method: 'GET',
    path: '/api/channels/:id',
    summary: 'A channel.',
    params: { id: channelParam },
    answer: oneChannelSchema,
    errors: ['CHANNEL_NOT_FOUND'],
  },
  updateChannel: {
    method: 'PATCH',
    path: '/api/channels/:id',
    summary: 'Rename or describe a channel; for admins.',
    params: { id: channelParam },
    body: updateChannelSchema,
    answer: channelItemSchema,
    errors: manageErrors,
    audit: [channelUpdate],
  },
  deleteChannel: {
    method: 'DELETE',
    path: '/api/channels/:id',
    summary: 'Delete a channel and everything in it; for admins.',
    params: { id: channelParam },
    answer: doneSchema,
    errors: manageErrors,
    audit: [channelDelete],
  },
  archiveChannel: {
    method: 'POST',
    path: '/api/channels/:id/archive',
    summary: 'Archive a channel: it can be read, and nothing can be sent to it; for admins.',
    params: { id: channelParam },
    answer: channelItemSchema,
    errors: manageErrors,
    audit: [channelArchive],
  },
  unarchiveChannel: {
    method: 'POST',
    path: '/api/channels/:id/unarchive',
    summary: 'Unarchive a channel; for admins.',
    params: { id: channelParam },
    answer: channelItemSchema,
    errors: manageErrors,
    audit: [channelUnarchive],
  },
  markChannelRead: {
    method: 'PUT',
    path: '/api/channels/:id/read',
    summary:
      'Mark the channel as read up to a message or a number of its log, with its notifications; this never goes back.',
    params: { id: channelParam },
    body: markReadSchema,
    answer: readStateSchema,
    errors: readErrors,
    areas: ['messages'],
  },
});

export const channelClientEvents = clientEvents(tag, {
  'channel:read': {
    summary:
      'Mark a channel as read up to a message or a number of its log, with its notifications; this never goes back.',
    payload: markReadSchema.safeExtend({ channelId: idSchema }),
    ack: readStateSchema,
    errors: readErrors,
    limit: 'events',
    areas: ['messages'],
  },
});
