import { z } from 'zod';
import { calls, textParam, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { channelOverride } from './channel-actions.ts';
import { durableEvent } from './event.ts';
import { type ChannelRight, overridableRoles, rightNames } from './roles.ts';
import { doneSchema, idSchema, record } from './schema.ts';

/** How many overrides a channel has at most: every look-up of its facts reads them. */
export const maxOverrides = 100;

const rightsSchema = z.array(z.enum(rightNames)).max(rightNames.length);

export const channelOverrideSchema = record('ChannelOverride', {
  builtIn: z
    .enum(overridableRoles)
    .nullable()
    .describe('The fixed role that it is for; `member` is everyone. One of the three is set.'),
  roleId: idSchema.nullable().describe("The server's own role that it is for."),
  userId: idSchema.nullable().describe('The member that it is for.'),
  allow: z.array(z.enum(rightNames)),
  deny: z.array(z.enum(rightNames)),
});

export const setOverrideSchema = z
  // Null is neither: it would lift what is denied.
  .object({ allow: rightsSchema.default([]), deny: rightsSchema.default([]) })
  .refine(({ allow, deny }) => !allow.some((right: ChannelRight) => deny.includes(right)), {
    path: ['deny'],
    message: 'must not repeat what allow has',
  });

export const channelOverridden = durableEvent({
  name: 'channel:overridden',
  summary: 'Overrides of the channel changed: you may be allowed other things in it. Read it again when you show it.',
  room: 'channel',
  payload: z.object({ channelId: idSchema, serverId: idSchema }),
});

const errors = ['CHANNEL_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'] as const;
const roleParams = {
  id: channelParam,
  role: textParam('ROLE_NOT_FOUND', "`member` (everyone), `moderator`, or the id of one of the server's roles."),
} as const;
const userParams = { id: channelParam, userId: uuidParam('USER_NOT_FOUND', 'Id of the member.') } as const;

export const channelOverrideCalls = calls('Channels', {
  listChannelOverrides: {
    method: 'GET',
    path: '/api/channels/:id/overrides',
    summary: 'What the channel allows or denies roles and people apart from the server; for admins.',
    params: { id: channelParam },
    answer: z.array(channelOverrideSchema),
    errors,
  },
  setChannelRoleOverride: {
    method: 'PUT',
    path: '/api/channels/:id/overrides/roles/:role',
    summary: 'Allow or deny a role something in the channel; both lists empty: nothing any more. For admins.',
    params: roleParams,
    body: setOverrideSchema,
    answer: channelOverrideSchema,
    errors: [...errors, 'ROLE_NOT_FOUND', 'OVERRIDE_LIMIT'],
    audit: [channelOverride],
  },
  deleteChannelRoleOverride: {
    method: 'DELETE',
    path: '/api/channels/:id/overrides/roles/:role',
    summary: 'Remove what the channel allows or denies a role; for admins. Whether it is private stays.',
    params: roleParams,
    answer: doneSchema,
    errors: [...errors, 'ROLE_NOT_FOUND', 'OVERRIDE_NOT_FOUND'],
    audit: [channelOverride],
  },
  setChannelUserOverride: {
    method: 'PUT',
    path: '/api/channels/:id/overrides/users/:userId',
    summary: 'Allow or deny a member something in the channel; both lists empty: nothing any more. For admins.',
    params: userParams,
    body: setOverrideSchema,
    answer: channelOverrideSchema,
    errors: [...errors, 'USER_NOT_FOUND', 'NOT_IN_SERVER', 'OVERRIDE_LIMIT'],
    audit: [channelOverride],
  },
  deleteChannelUserOverride: {
    method: 'DELETE',
    path: '/api/channels/:id/overrides/users/:userId',
    summary: 'Remove what the channel allows or denies a member; for admins.',
    params: userParams,
    answer: doneSchema,
    errors: [...errors, 'USER_NOT_FOUND', 'NOT_IN_SERVER', 'OVERRIDE_NOT_FOUND'],
    audit: [channelOverride],
  },
});
