import { z } from 'zod';
import { ephemeralEvent } from './event.ts';
import { idSchema, nameSchema } from './schema.ts';
import { statusSchema } from './status.ts';

const personSchema = z.object({ userId: idSchema, status: statusSchema });

export const updatePresenceSchema = z.object({
  status: statusSchema.describe('How you want to be seen on all devices; `offline` hides you.'),
});

export const subscribeSchema = z.object({ userIds: z.array(idSchema).max(200) });

export const subscribedSchema = z.object({
  users: z.array(personSchema).describe('Those whom you share a server, a DM or a friendship with.'),
});

export const activitySchema = z.object({
  channelId: idSchema,
  activity: nameSchema(128).nullable(),
});

export const presenceChange = ephemeralEvent({
  name: 'presence:change',
  summary: "Someone's presence changed. Concurrent changes come together; a single one also has the plain fields.",
  room: 'channel',
  payload: z.object({
    userId: idSchema.optional(),
    status: statusSchema.optional(),
    changes: z.array(personSchema),
  }),
});

export const presenceActivity = ephemeralEvent({
  name: 'presence:activity',
  summary: 'What someone is doing in a channel right now; null when it has ended.',
  room: 'channel',
  payload: z.object({ channelId: idSchema, userId: idSchema, activity: z.string().nullable() }),
});

export const presenceSnapshot = ephemeralEvent({
  name: 'presence:snapshot',
  summary:
    'The presence of people in a channel that you joined, up to 500, those online first, and what they are doing there. It replaces what you knew.',
  room: 'socket',
  payload: z.object({
    channelId: idSchema,
    members: z.array(personSchema),
    covers: z
      .enum(['channel', 'listed'])
      .describe('`channel`: whoever is in the channel and not listed is offline; `listed`: more are online.'),
    activities: z
      .array(z.object({ userId: idSchema, activity: z.string() }))
      .describe('What people are doing in the channel, up to 500: nobody else has an activity there.'),
  }),
});
