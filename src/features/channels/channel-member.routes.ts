import { channelMemberCalls } from '../../contract/channel-member.ts';
import { done } from '../../contract/schema.ts';
import { pageReply, Reply, type Route, serve } from '../../rest/route.ts';
import type { ChannelMemberService } from './channel-member.service.ts';

export function channelMemberRoutes(members: ChannelMemberService): Route[] {
  return serve(channelMemberCalls, {
    listChannelMembers: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    async addChannelMember({ actor, params, body }) {
      const { member, repeated } = await members.add(actor, params.id, body.userId);
      return new Reply({ ...member, ...done }, { status: repeated ? 200 : 201 });
    },
    async removeChannelMember({ actor, params }) {
      await members.remove(actor, params.id, params.userId);
      return done;
    },
  });
}
