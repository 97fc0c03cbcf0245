import { z } from 'zod';
import { addChannelMemberSchema } from '../../contract/channel.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { listMembersSchema, memberSchema } from '../../contract/server.ts';
import { pageReply, Reply, type Route, route, uuidParam } from '../../rest/route.ts';
import type { ChannelMemberService } from './channel-member.service.ts';

const tag = 'Channels';
const id = uuidParam('CHANNEL_NOT_FOUND', 'Id of the channel.');

export function channelMemberRoutes(members: ChannelMemberService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/channels/:id/members',
      summary: 'The members of a channel, in the order of their ids. X-Has-More says whether there are more.',
      tag,
      auth: 'required',
      params: { id },
      query: listMembersSchema,
      paged: true,
      answer: z.array(memberSchema),
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'FORBIDDEN'],
      handle: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    }),
    route({
      method: 'POST',
      path: '/api/channels/:id/members',
      summary: 'Add a member of the server to a channel; for admins, and for yourself if it is open.',
      tag,
      auth: 'required',
      params: { id },
      body: addChannelMemberSchema,
      status: 201,
      mayExist: true,
      answer: memberSchema.extend(doneSchema.shape),
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'FORBIDDEN', 'USER_NOT_FOUND', 'NOT_IN_SERVER'],
      async handle({ actor, params, body }) {
        const { member, repeated } = await members.add(actor, params.id, body.userId);
        return new Reply({ ...member, ...done }, { status: repeated ? 200 : 201 });
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/channels/:id/members/:userId',
      summary: 'Remove someone from a channel: yourself, or as a moderator those of lower roles.',
      tag,
      auth: 'required',
      params: { id, userId: uuidParam('MEMBER_NOT_FOUND', 'Id of the user.') },
      answer: doneSchema,
      errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'FORBIDDEN', 'MEMBER_NOT_FOUND'],
      async handle({ actor, params }) {
        await members.remove(actor, params.id, params.userId);
        return done;
      },
    }),
  ];
}
