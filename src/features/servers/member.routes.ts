import { done } from '../../contract/schema.ts';
import { serverMemberCalls } from '../../contract/server-member.ts';
import { pageReply, type Route, serve } from '../../rest/route.ts';
import type { MemberService } from './member.service.ts';

export function memberRoutes(members: MemberService): Route[] {
  return serve(serverMemberCalls, {
    joinServer: async ({ actor, params, body }) => ({
      ...(await members.join(actor, params.id, body.inviteCode ?? null)),
      ...done,
    }),
    async leaveServer({ actor, params }) {
      await members.leave(actor, params.id);
      return done;
    },
    listServerMembers: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    setServerMemberRole: ({ actor, params, body }) => members.setRole(actor, params.id, params.userId, body.role),
    async kickServerMember({ actor, params }) {
      await members.kick(actor, params.id, params.userId);
      return done;
    },
  });
}
