import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { channelItemSchema, oneChannelSchema } from './channel.ts';
import { channelAccessSchema } from './join-request.ts';
import { memberSchema } from './member.ts';
import { messagePageSchema } from './message.ts';
import { limitSchema } from './schema.ts';
import { serverSchema } from './server.ts';

export const bootstrapSchema = z.object({
  access: channelAccessSchema,
  channel: oneChannelSchema,
  server: serverSchema.nullable(),
  channels: z.array(channelItemSchema),
  members: z.array(memberSchema).describe('The first ones.'),
  messages: messagePageSchema,
});

export const bootstrapCalls = calls('Channels', {
  getChannelBootstrap: {
    method: 'GET',
    path: '/api/channels/:id/bootstrap',
    summary: 'Everything needed to show a channel, in one call.',
    params: { id: uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.') },
    query: z.object({ messagesLimit: limitSchema(100, 50) }),
    answer: bootstrapSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER'],
    areas: ['servers', 'messages'],
  },
});
