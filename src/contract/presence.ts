import { z } from 'zod';
import { clientEvents } from './call.ts';
import { customStatusOfSchema } from './custom-status.ts';
import { ephemeralEvent } from './event.ts';
import { idSchema, nameSchema } from './schema.ts';

/**
 * A server with more members than this is large (contract §9, Presence): it shows how many are online, and tells each
 * connection of those whom it follows. So is a private channel of such a server that has more people.
 */
export const mostInSmall = 500;

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
  customStatuses: z.array(customStatusOfSchema).optional().describe('Of these who have one.'),
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

const onlineSchema = z.number().int().nonnegative().describe('How many members are not offline, bots included.');

export const presenceSnapshot = ephemeralEvent({
  name: 'presence:snapshot',
  summary:
    'The presence of people in a channel that you joined, and what they are doing there. It replaces what you knew. Of a large server (more than 500 members) it lists those who matter to you, and how many are online.',
  room: 'socket',
  payload: z.object({
    channelId: idSchema,
    members: z
      .array(personSchema)
      .describe(
        'Up to 500, those online first. In a large server: with its first channel that you join yourself, your friends and DM partners who are members, up to 100; with each channel those who wrote there last. You get the changes of all who are listed.',
      ),
    covers: z
      .enum(['channel', 'listed'])
      .describe(
        '`channel`: whoever is in the channel and not listed is offline; `listed`: it says nothing about others, `presence:subscribe` does.',
      ),
    activities: z
      .array(z.object({ userId: idSchema, activity: z.string() }))
      .describe(
        'What people are doing in the channel, up to 500: nobody else has an activity there. With `covers: listed` only of those who matter to you.',
      ),
    customStatuses: z
      .array(customStatusOfSchema)
      .optional()
      .describe('What those who are listed say of themselves, as far as they do.'),
    serverId: idSchema.optional().describe('Of a large server only.'),
    online: onlineSchema.optional().describe('How many members of the large server are not offline.'),
  }),
});

export const presenceCount = ephemeralEvent({
  name: 'presence:count',
  summary:
    'How many members of a large server that you are in a channel of are not offline. At most every 5 seconds, less often where many are connected, and only if it has changed.',
  room: 'socket',
  payload: z.object({ serverId: idSchema, online: onlineSchema }),
});

/** How many members a server has, and how many of them are there. */
export const memberCountSchema = z.object({
  total: z.number().int().nonnegative().describe('Members, bots included.'),
  online: onlineSchema,
});

export const activeSchema = z.object({
  active: z
    .boolean()
    .describe(
      'Whether someone looks at this device. A connection that has never said it counts as active for 3 minutes after each use of its session.',
    ),
});

/** What a device says of its user's attention (contract §9, Presence). */
export const presenceActiveEvents = clientEvents('Presence', {
  'presence:active': {
    summary:
      'Say whether someone looks at this device: while any does, nothing is pushed. It lasts as long as the connection, and nobody else gets to know.',
    payload: activeSchema,
    ack: z.object({}),
    byItself: true,
    limit: 'events',
    lane: { by: null },
  },
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
    byItself: true,
    errors: [
      'CHANNEL_NOT_FOUND',
      'NOT_A_MEMBER',
      'ROLE_REQUIRED',
      'FORBIDDEN',
      'BLOCKED',
      'USER_BLOCKED',
      'TIMED_OUT',
      'MESSAGE_REFUSED',
    ],
    limit: 'events',
    lane: { by: 'channelId' },
  },
});
