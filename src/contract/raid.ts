import { z } from 'zod';
import { calls } from './call.ts';
import { durableEvent } from './event.ts';
import { raidUpdate } from './invite-actions.ts';
import { memberSchema } from './member.ts';
import { idSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';
import { memberKick } from './server-member.ts';
import { raidModes } from './server-raid.ts';

/** How many members one call removes, each in a change of its own. */
export const removedAtOnce = 25;

export const raidSchema = record('Raid', {
  serverId: idSchema,
  mode: z.enum(raidModes),
  joins: z.number().int(),
  seconds: z.number().int(),
  minutes: z.number().int(),
  isOn: z.boolean().describe('Joins are held for approval.'),
  since: timeSchema.nullable().describe('The beginning of the joins that turned it on; null: it is off.'),
  until: timeSchema
    .nullable()
    .describe('When it ends unless the rate is exceeded again; null: when it is switched off.'),
});

export const raidViewSchema = raidSchema.extend({
  members: z
    .array(memberSchema)
    .describe('Those who got in since it began and were not approved, newest first; 200 at most.'),
});

export const removedSchema = z.object({
  removed: z.array(idSchema),
  failed: z.array(z.object({ userId: idSchema, code: z.string(), error: z.string() })),
  hasMore: z.boolean().describe('There are more who got in; call it again.'),
});

export const removeRaidSchema = z
  .object({
    userIds: z.array(idSchema).min(1).max(removedAtOnce).optional(),
    all: z.literal(true).optional().describe(`Up to ${removedAtOnce} of those that GET lists.`),
  })
  .refine(({ userIds, all }) => (userIds === undefined) !== (all === undefined), 'needs either userIds or all');

export const switchRaidSchema = z.object({
  on: z.boolean().describe('False: it is off, and counting begins anew where the mode is `auto`.'),
});

export const serverRaid = durableEvent({
  name: 'server:raid',
  summary: 'Raid mode of a server of yours is on, off, or set otherwise; told to those who may switch it.',
  room: 'user',
  payload: z.object({ serverId: idSchema, raid: raidSchema }),
});

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;

export const raidCalls = calls('Servers', {
  getServerRaid: {
    method: 'GET',
    path: '/api/servers/:id/raid',
    summary: 'Raid mode of a server, and who got in since it began; for moderators.',
    params: { id: serverParam },
    answer: raidViewSchema,
    errors,
  },
  switchServerRaid: {
    method: 'POST',
    path: '/api/servers/:id/raid',
    summary: 'Switch raid mode on, until it is switched off, or off; for moderators.',
    params: { id: serverParam },
    body: switchRaidSchema,
    answer: raidSchema,
    errors,
    audit: [raidUpdate],
  },
  removeRaidMembers: {
    method: 'POST',
    path: '/api/servers/:id/raid/remove',
    summary: 'Kick those who got in since raid mode is on, some at a time; for moderators.',
    params: { id: serverParam },
    body: removeRaidSchema,
    answer: removedSchema,
    errors,
    audit: [memberKick],
  },
});
