import { z } from 'zod';
import { calls } from './call.ts';
import { durableEvent } from './event.ts';
import { omittable, record } from './schema.ts';

export const membershipSchema = record('Membership', {
  status: z.string(),
  tier: z.object({ id: z.string(), level: z.number(), label: z.string(), capabilities: z.array(z.string()) }),
  level: z.number(),
  isMember: z.boolean(),
  capabilities: z.array(z.string()),
});

export const inviteCodeSchema = z.string().trim().min(1, 'must not be empty').max(64);

/** `code`, also `inviteCode` (contract §3). */
export const redeemSchema = z
  .object({ code: omittable(inviteCodeSchema), inviteCode: omittable(inviteCodeSchema) })
  .transform(({ code, inviteCode }) => ({ code: code ?? inviteCode }))
  .pipe(z.object({ code: z.string() }));

export const membershipUpdated = durableEvent({
  name: 'membership:updated',
  summary: 'Your membership changed: what you may do now.',
  room: 'user',
  payload: membershipSchema,
});

export const membershipCalls = calls('Membership', {
  getMembership: {
    method: 'GET',
    path: '/api/membership/me',
    summary: 'Your membership, and what you may do.',
    answer: membershipSchema,
  },
  redeemInviteCode: {
    method: 'POST',
    path: '/api/membership/redeem-invite',
    summary: 'Become a member with an invite code. For members nothing changes, and the code stays unused.',
    body: redeemSchema,
    answer: membershipSchema,
    errors: ['INVALID_INVITE_CODE', 'FORBIDDEN'],
    limit: 'redeem',
  },
});
