import { z } from 'zod';
import { clientEvents } from './call.ts';
import { ephemeralEvent } from './event.ts';
import { idSchema, nameSchema } from './schema.ts';

/** From most to least present (contract §9). */
export const statuses = ['online', 'idle', 'dnd', 'offline'] as const;

export const statusSchema = z.enum(statuses);

export type Status = z.infer<typeof statusSchema>;

export function isStatus(text: string | undefined): text is Status {
  return statuses.some((status) => status === text);
}

/** Looks up the current status of users. */
export interface StatusReader {
  statusOf(userId: string): Status;
}

/** A user's current status. */
export interface StatusChange {
  userId: string;
  status: Status;
}

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

export const presenceClientEvents = clientEvents('Presence', {
  'presence:update': {
    summary: 'Set your status, for all devices.',
    payload: updatePresenceSchema,
    ack: z.object({ status: statusSchema }),
    limit: 'events',
    lane: { by: null },
  },
  'presence:subscribe': {
    summary: "Get people's presence, and from now on each change, even if you share no channel with them.",
    payload: subscribeSchema,
    ack: subscribedSchema,
    limit: 'events',
    readOnly: true,
  },
  'presence:activity': {
    summary:
      'Set what you are doing in a channel; null to clear it. It ends with the connection, and when you leave the channel.',
    payload: activitySchema,
    ack: z.object({}),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN', 'BLOCKED', 'USER_BLOCKED'],
    limit: 'events',
    lane: { by: 'channelId' },
  },
});
