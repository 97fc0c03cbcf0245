import { membershipCalls } from '../../../contract/membership.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { MembershipService } from './membership.service.ts';

export function membershipRoutes(membership: MembershipService): Route[] {
  return serve(membershipCalls, {
    getMembership: ({ actor }) => membership.mine(actor),
    redeemInviteCode: ({ actor, body }) => membership.redeem(actor, body.code),
  });
}
