import { z } from 'zod';
import { durableEvent } from '../delivery/event.ts';
import { idSchema, nameSchema, record, timeSchema } from '../schema.ts';

export const channelTypes = ['text', 'announcement', 'voice'] as const;

export const channelSchema = record('Channel', {
  id: idSchema,
  serverId: idSchema.nullable(),
  kind: z.enum(['server', 'dm']),
  name: z.string(),
  type: z.enum(channelTypes),
  description: z.string().nullable(),
  topic: z.string().nullable().describe('The description, under its other name.'),
  position: z.number().int(),
  isPrivate: z.boolean(),
  isArchived: z.boolean(),
  lastMessageAt: timeSchema.nullable(),
  lastSeq: z.number().int().describe("Number of the last event in the channel's log."),
  createdAt: timeSchema,
  updatedAt: timeSchema,
});

export const createChannelSchema = z.object({
  name: nameSchema(100),
  type: z.enum(channelTypes).default('text'),
  description: z.string().max(1024).nullish(),
  topic: z.string().max(1024).nullish(),
  isPrivate: z.boolean().default(false),
});

export const channelCreated = durableEvent({
  name: 'channel:created',
  summary: 'There is a new channel that you may see.',
  room: 'user',
  payload: z.object({ channel: channelSchema }),
});
