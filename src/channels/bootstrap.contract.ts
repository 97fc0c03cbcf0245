import { z } from 'zod';
import { channelAccessSchema } from '../join-requests/join-request.contract.ts';
import { messagePageSchema } from '../messages/message.contract.ts';
import { limitSchema } from '../schema.ts';
import { memberSchema, serverSchema } from '../servers/server.contract.ts';
import { channelItemSchema, oneChannelSchema } from './channel.contract.ts';

export const bootstrapQuerySchema = z.object({ messagesLimit: limitSchema(100, 50) });

export const bootstrapSchema = z.object({
  access: channelAccessSchema,
  channel: oneChannelSchema,
  server: serverSchema.nullable(),
  channels: z.array(channelItemSchema),
  members: z.array(memberSchema).describe('The first ones.'),
  messages: messagePageSchema,
});
