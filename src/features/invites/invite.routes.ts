import { inviteCalls } from '../../contract/invite.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { InviteService } from './invite.service.ts';

export function inviteRoutes(invites: InviteService): Route[] {
  return serve(inviteCalls, {
    listInviteCodes: ({ actor }) => invites.list(actor),
    createInviteCodes: ({ actor, body }) => invites.create(actor, body),
    deactivateInviteCode: ({ actor, params }) => invites.deactivate(actor, params.id),
    async deleteInviteCode({ actor, params }) {
      await invites.delete(actor, params.id);
      return done;
    },
    listInvites: ({ actor }) => invites.list(actor),
    createInvites: ({ actor, body }) => invites.create(actor, body),
    deactivateInvite: ({ actor, params }) => invites.deactivate(actor, params.id),
    async deleteInvite({ actor, params }) {
      await invites.delete(actor, params.id);
      return done;
    },
  });
}
