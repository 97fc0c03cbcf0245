import { z } from 'zod';
import { mostAheadDays } from './ahead.ts';
import { calls } from './call.ts';
import { channelParam } from './channel.ts';
import { durableEvent } from './event.ts';
import { preferencesSchema } from './notification.ts';
import { idSchema, omittable, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

const channelLevels = ['all', 'mentions', 'nothing'] as const;
export type ChannelLevel = (typeof channelLevels)[number];

/** In so many channels, and in as many servers, someone may choose `all` or `mentions`; as many can be muted. */
export const maxLevels = 1000;

const levelSchema = z
  .enum(channelLevels)
  .nullable()
  .describe(
    '`all`: every message, and replies in threads that you follow. `mentions`: what names or answers you. `nothing`: the channel is muted. null: as your strategy says.',
  );

export const channelLevelSchema = record('ChannelLevel', { channelId: idSchema, level: levelSchema });

export const serverLevelSchema = record('ServerLevel', {
  serverId: idSchema,
  level: levelSchema.describe(
    'In all channels without a level of their own. `all`: every message, and replies in threads that you follow. `mentions`: what names or answers you. `nothing`: the server is muted. null: as your strategy says.',
  ),
});

export const setLevelSchema = z
  .object({
    level: levelSchema,
    until: omittable(timeSchema).describe(
      `Of \`nothing\`: muted until then, at most ${mostAheadDays} days ahead; after that what was chosen before counts again.`,
    ),
  })
  .refine(({ level, until }) => until === undefined || level === 'nothing', {
    path: ['until'],
    message: 'is for the level "nothing" alone',
  })
  .meta({ example: { level: 'mentions' } });

export const listedLevelsSchema = z.object({
  channelLevels: z
    .record(idSchema, z.enum(['all', 'mentions']))
    .describe('The channels with a level of their own, by id, without those that are muted.'),
  serverLevels: z.record(idSchema, z.enum(['all', 'mentions'])).describe('The same of servers.'),
});

export const preferencesUpdated = durableEvent({
  name: 'notification:preferences',
  summary: 'You have changed what you are notified of, here or on another device.',
  room: 'user',
  payload: preferencesSchema.extend({ channelLevels: listedLevelsSchema.shape.channelLevels }),
});

const path = '/api/channels/:id/notification-level';
const serverPath = '/api/servers/:id/notification-level';

export const levelCalls = calls('Notifications', {
  listChannelLevels: {
    method: 'GET',
    path: '/api/notifications/levels',
    summary: 'The channels and servers in which you are notified of other things than elsewhere.',
    answer: listedLevelsSchema,
  },
  getChannelLevel: {
    method: 'GET',
    path,
    summary: 'What you are notified of in a channel.',
    params: { id: channelParam },
    answer: channelLevelSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  setChannelLevel: {
    method: 'PUT',
    path,
    summary: 'Choose what you are notified of in a channel.',
    params: { id: channelParam },
    body: setLevelSchema,
    answer: channelLevelSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'LEVEL_LIMIT'],
  },
  getServerLevel: {
    method: 'GET',
    path: serverPath,
    summary: 'What you are notified of in a server.',
    params: { id: serverParam },
    answer: serverLevelSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  setServerLevel: {
    method: 'PUT',
    path: serverPath,
    summary: 'Choose what you are notified of in a server.',
    params: { id: serverParam },
    body: setLevelSchema,
    answer: serverLevelSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'LEVEL_LIMIT'],
  },
});
