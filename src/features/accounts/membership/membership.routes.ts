import { membershipSchema, redeemSchema } from '../../../contract/membership.ts';
import { type Route, route } from '../../../rest/route.ts';
import type { MembershipService } from './membership.service.ts';

const tag = 'Membership';

export function membershipRoutes(membership: MembershipService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/membership/me',
      summary: 'Your membership, and what you may do.',
      tag,
      auth: 'required',
      answer: membershipSchema,
      handle: ({ actor }) => membership.mine(actor),
    }),
    route({
      method: 'POST',
      path: '/api/membership/redeem-invite',
      summary: 'Become a member with an invite code. For members nothing changes, and the code stays unused.',
      tag,
      auth: 'required',
      body: redeemSchema,
      answer: membershipSchema,
      errors: ['INVALID_INVITE_CODE', 'FORBIDDEN'],
      limit: 'redeem',
      handle: ({ actor, body }) => membership.redeem(actor, body.code),
    }),
  ];
}
