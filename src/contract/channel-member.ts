import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { channelParam } from './channel.ts';
import { listMembersSchema, memberSchema } from './member.ts';
import { doneSchema, idSchema } from './schema.ts';

export const addChannelMemberSchema = z.object({ userId: idSchema });

export const channelMemberAdd = auditAction({
  name: 'channel-member.add',
  summary: 'A member was let into a channel by someone who may let in others.',
});

export const channelMemberRemove = auditAction({
  name: 'channel-member.remove',
  summary: 'A member was removed from a channel by someone else.',
});

export const channelMemberCalls = calls('Channels', {
  listChannelMembers: {
    method: 'GET',
    path: '/api/channels/:id/members',
    summary: 'The members of a channel, in the order of their ids. X-Has-More says whether there are more.',
    params: { id: channelParam },
    query: listMembersSchema,
    paged: true,
    answer: z.array(memberSchema),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'FORBIDDEN'],
  },
  addChannelMember: {
    method: 'POST',
    path: '/api/channels/:id/members',
    summary: 'Add a member of the server to a channel; for admins, and for yourself if it is open.',
    params: { id: channelParam },
    body: addChannelMemberSchema,
    status: 201,
    mayExist: true,
    answer: memberSchema.extend(doneSchema.shape),
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'FORBIDDEN', 'USER_NOT_FOUND', 'NOT_IN_SERVER'],
    audit: [channelMemberAdd],
  },
  removeChannelMember: {
    method: 'DELETE',
    path: '/api/channels/:id/members/:userId',
    summary: 'Remove someone from a channel: yourself, or as a moderator those of lower roles.',
    params: { id: channelParam, userId: uuidParam('MEMBER_NOT_FOUND', 'Id of the user.') },
    answer: doneSchema,
    errors: ['CHANNEL_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'FORBIDDEN', 'MEMBER_NOT_FOUND'],
    audit: [channelMemberRemove],
  },
});
