import { z } from 'zod';
import { channelItemSchema, oneChannelSchema } from './channel.ts';
import { channelAccessSchema } from './join-request.ts';
import { messagePageSchema } from './message.ts';
import { limitSchema } from './schema.ts';
import { memberSchema, serverSchema } from './server.ts';

export const bootstrapQuerySchema = z.object({ messagesLimit: limitSchema(100, 50) });

export const bootstrapSchema = z.object({
  access: channelAccessSchema,
  channel: oneChannelSchema,
  server: serverSchema.nullable(),
  channels: z.array(channelItemSchema),
  members: z.array(memberSchema).describe('The first ones.'),
  messages: messagePageSchema,
});
