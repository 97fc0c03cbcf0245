import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { listMembersSchema, memberSchema, setRoleSchema } from './member.ts';
import { memberCountSchema } from './presence.ts';
import { doneSchema, idSchema } from './schema.ts';
import { joinServerSchema, serverParam, serverSchema } from './server.ts';

/** The record; of a join that is held for approval as outsiders see it, and what it waits for. */
export const joinedSchema = serverSchema.extend({
  ...doneSchema.shape,
  channelId: idSchema.nullable().describe('The channel to open, where the link names one that you see.'),
  status: z
    .enum(['joined', 'pending'])
    .describe('`pending`: raid mode is on, and moderators decide about your request.'),
  code: z.literal('JOIN_HELD').optional().describe('With `pending`.'),
  requestId: idSchema.optional().describe('The join request, with `pending`.'),
});

const params = { id: serverParam, userId: uuidParam('MEMBER_NOT_FOUND', 'Id of the member.') } as const;
const manageErrors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'MEMBER_NOT_FOUND', 'ROLE_REQUIRED'] as const;

export const memberKick = auditAction({ name: 'member.kick', summary: 'A member was removed from the server.' });

export const memberRole = auditAction({
  name: 'member.role',
  summary: 'A member got another fixed role.',
  fields: ['role'],
});

export const serverHandOver = auditAction({
  name: 'server.hand-over',
  summary: 'The server got another owner.',
  fields: ['ownerId'],
});

export const serverMemberCalls = calls('Servers', {
  joinServer: {
    method: 'POST',
    path: '/api/servers/:id/join',
    summary:
      'Join a server. A private one needs its invite code or that of a link; with "_" as id the code alone is enough. In raid mode the join waits for approval (202).',
    params: { id: serverParam },
    body: joinServerSchema,
    mayWait: true,
    answer: joinedSchema,
    errors: ['SERVER_NOT_FOUND', 'INVITE_CODE_REQUIRED', 'ALREADY_MEMBER', 'BANNED', 'FORBIDDEN', 'USER_NOT_FOUND'],
  },
  leaveServer: {
    method: 'POST',
    path: '/api/servers/:id/leave',
    summary: 'Leave a server. Its owner hands it over first.',
    params: { id: serverParam },
    answer: doneSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'OWNER_CANNOT_LEAVE'],
  },
  listServerMembers: {
    method: 'GET',
    path: '/api/servers/:id/members',
    summary: 'The members, in the order of their ids. X-Has-More says whether there are more.',
    params: { id: serverParam },
    query: listMembersSchema,
    paged: true,
    answer: z.array(memberSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'FORBIDDEN'],
  },
  getServerMember: {
    method: 'GET',
    path: '/api/servers/:id/members/:userId',
    summary: 'One of the members.',
    params,
    answer: memberSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'MEMBER_NOT_FOUND', 'FORBIDDEN'],
  },
  countServerMembers: {
    method: 'GET',
    path: '/api/servers/:id/members/count',
    summary: 'How many members there are, and how many of them are online. The second may lag by some seconds.',
    params: { id: serverParam },
    answer: memberCountSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'FORBIDDEN'],
  },
  setServerMemberRole: {
    method: 'PATCH',
    path: '/api/servers/:id/members/:userId',
    summary: "Change a member's role, to one below yours; the owner hands the server over with `owner`.",
    params,
    body: setRoleSchema,
    answer: memberSchema,
    errors: [...manageErrors, 'FORBIDDEN', 'SERVER_LIMIT'],
    audit: [memberRole, serverHandOver],
  },
  kickServerMember: {
    method: 'DELETE',
    path: '/api/servers/:id/members/:userId',
    summary: 'Kick a member of a lower role; for moderators.',
    params,
    answer: doneSchema,
    errors: [...manageErrors, 'OWNER_CANNOT_LEAVE'],
    audit: [memberKick],
  },
});
