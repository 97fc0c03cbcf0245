import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { durableEvent } from './event.ts';
import { idSchema, numberSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** So many earlier versions of a message are kept; older ones go first. */
export const maxVersions = 50;

export const messagesExpired = durableEvent({
  name: 'messages:expired',
  summary:
    'Messages that are older than the channel keeps them were removed, in its threads too: all with a number below `beforeSeq`. No message:deleted comes for them.',
  room: 'channel',
  payload: z.object({
    channelId: idSchema,
    beforeSeq: z.number().int().describe('Drop every message whose `seq` is smaller.'),
    threadIds: z.array(idSchema).describe('Threads that ended with that. No thread:deleted comes for them.'),
  }),
});

const expiringQuerySchema = z.object({
  days: numberSchema(z.number().int().min(1).max(3650)).describe('For how many days messages would be kept.'),
});

const expiringSchema = record('ExpiringMessages', {
  messages: z.number().int().describe('How many are older than that, as far as they were counted.'),
  isMore: z.boolean().describe('There are more: counting stopped.'),
});

export const messageVersionSchema = record('MessageVersion', {
  version: z.number().int().describe('1 is the first text. Of an often edited message the first ones may be missing.'),
  content: z.string(),
  editedAt: timeSchema.describe('When another text replaced it.'),
});

export const retentionCalls = calls('Servers', {
  countExpiringInServer: {
    method: 'GET',
    path: '/api/servers/:id/expiring-messages',
    summary:
      'Roughly how many messages would go if the server kept them for so many days, in channels without a number of their own; for those who may set that.',
    params: { id: serverParam },
    query: expiringQuerySchema,
    answer: expiringSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
    limit: 'search',
  },
  countExpiringInChannel: {
    method: 'GET',
    path: '/api/channels/:id/expiring-messages',
    summary: 'The same of one channel.',
    params: { id: channelParam },
    query: expiringQuerySchema,
    answer: expiringSchema,
    errors: ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'],
    limit: 'search',
  },
});

export const historyCalls = calls('Messages', {
  getMessageHistory: {
    method: 'GET',
    path: '/api/messages/:id/history',
    summary:
      'What an edited message said before, oldest first, where its server keeps that; for its author and those who may read it of others.',
    params: { id: uuidParam('MESSAGE_NOT_FOUND', 'Id of the message.') },
    answer: z.array(messageVersionSchema),
    errors: ['MESSAGE_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
  },
});
