import type { Chore } from '../../cluster/chores.ts';
import { done } from '../../contract/schema.ts';
import { serverInviteCalls } from '../../contract/server-invite.ts';
import { pageReply, serve } from '../../rest/route.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { LinkUses, tellUses } from './link-uses.ts';
import { ServerInviteService } from './server-invite.service.ts';
import { forgetOldLinks } from './server-invite.table.ts';

export type ServerInvitesServices = ReturnType<typeof serverInvitesModule>['services'];

const forgetLinks: Chore = { name: 'forget invite links that were over long ago', step: forgetOldLinks };

/** The invite links of servers (contract §5). */
export function serverInvitesModule(context: Context & MembersServices & PresenceServices) {
  const invites = new ServerInviteService(context);
  return {
    services: { linkUses: new LinkUses(context.jobs) },
    routes: serve(serverInviteCalls, {
      createServerInvite: ({ actor, params, body }) => invites.create(actor, params.id, body),
      listServerInvites: async ({ actor, params, query }) => pageReply(await invites.list(actor, params.id, query)),
      listServerInviteMembers: async ({ actor, params, query }) =>
        pageReply(await invites.members(actor, params.id, params.inviteId, query)),
      async deleteServerInvite({ actor, params }) {
        await invites.revoke(actor, params.id, params.inviteId);
        return done;
      },
    }),
    jobs: [tellUses()],
    chores: [forgetLinks],
  };
}
