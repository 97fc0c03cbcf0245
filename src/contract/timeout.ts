import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { maxReason } from './ban.ts';
import { calls, uuidParam } from './call.ts';
import { durableEvent } from './event.ts';
import { memberSchema } from './member.ts';
import { memberTimeout, memberTimeoutEnd } from './moderation-actions.ts';
import { doneSchema, idSchema, omittable, textSchema, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** The longest timeout: 28 days. */
export const maxTimeoutSeconds = 28 * 86_400;

export const timeOutSchema = z
  .object({
    // The shared clock decides what is in the future; PostgreSQL could not even read these.
    until: omittable(timeSchema.refine((text) => Date.parse(text) > 0, 'must be in the future')).describe(
      'When it ends by itself: in the future, and at most 28 days away.',
    ),
    seconds: omittable(z.number().int().min(1).max(maxTimeoutSeconds)).describe(
      'How long it lasts, in place of `until`.',
    ),
    reason: omittable(textSchema(maxReason, z.string().trim())).describe('Told to the one who is timed out.'),
  })
  .refine(({ until, seconds }) => (until === undefined) !== (seconds === undefined), {
    path: ['until'],
    message: 'must be given, or seconds, and not both',
  });

export const memberTimedOut = durableEvent({
  name: 'member:timed-out',
  summary:
    'A member of a server of yours is timed out until then, or no longer before that (null); told to them and to those who may time out.',
  room: 'user',
  payload: z.object({
    serverId: idSchema,
    userId: idSchema,
    until: timeSchema.nullable(),
    reason: z.string().nullable(),
    by: smallUserSchema.nullable().describe('Who decided it.'),
  }),
});

const params = { id: serverParam, userId: uuidParam('MEMBER_NOT_FOUND', 'Id of the member.') } as const;
const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'MEMBER_NOT_FOUND', 'ROLE_REQUIRED', 'FORBIDDEN'] as const;

export const timeoutCalls = calls('Servers', {
  timeOutMember: {
    method: 'PUT',
    path: '/api/servers/:id/members/:userId/timeout',
    summary:
      'Time a member out: until then they see everything and express nothing here, nor do their bots. A second one replaces the first. For moderators.',
    params,
    body: timeOutSchema,
    answer: memberSchema,
    errors,
    audit: [memberTimeout],
  },
  endTimeout: {
    method: 'DELETE',
    path: '/api/servers/:id/members/:userId/timeout',
    summary: 'End a timeout, also of someone who has left. Without one nothing changes. For moderators.',
    params,
    answer: doneSchema,
    errors,
    audit: [memberTimeoutEnd],
  },
});
