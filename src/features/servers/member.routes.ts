import { z } from 'zod';
import { done, doneSchema } from '../../contract/schema.ts';
import {
  joinServerSchema,
  listMembersSchema,
  memberSchema,
  serverSchema,
  setRoleSchema,
} from '../../contract/server.ts';
import { pageReply, type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { MemberService } from './member.service.ts';

const tag = 'Servers';
const id = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const userId = uuidParam('MEMBER_NOT_FOUND', 'Id of the member.');

export function memberRoutes(members: MemberService): Route[] {
  return [...joiningRoutes(members), ...managingRoutes(members)];
}

function joiningRoutes(members: MemberService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:id/join',
      summary: 'Join a server. A private one needs its invite code; with "_" as id the code alone is enough.',
      tag,
      auth: 'required',
      params: { id },
      body: joinServerSchema,
      answer: serverSchema.extend(doneSchema.shape),
      errors: ['SERVER_NOT_FOUND', 'INVITE_CODE_REQUIRED', 'ALREADY_MEMBER', 'BANNED', 'FORBIDDEN', 'USER_NOT_FOUND'],
      handle: async ({ actor, params, body }) => ({
        ...(await members.join(actor, params.id, body.inviteCode ?? null)),
        ...done,
      }),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/leave',
      summary: 'Leave a server. Its owner hands it over first.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'OWNER_CANNOT_LEAVE'],
      async handle({ actor, params }) {
        await members.leave(actor, params.id);
        return done;
      },
    }),
    route({
      method: 'GET',
      path: '/api/servers/:id/members',
      summary: 'The members, in the order of their ids. X-Has-More says whether there are more.',
      tag,
      auth: 'required',
      params: { id },
      query: listMembersSchema,
      paged: true,
      answer: z.array(memberSchema),
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'INVALID_CURSOR', 'FORBIDDEN'],
      handle: async ({ actor, params, query }) => pageReply(await members.list(actor, params.id, query)),
    }),
  ];
}

function managingRoutes(members: MemberService): Route[] {
  const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'MEMBER_NOT_FOUND', 'ROLE_REQUIRED'] as const;
  return [
    route({
      method: 'PATCH',
      path: '/api/servers/:id/members/:userId',
      summary: "Change a member's role, to one below yours; the owner hands the server over with `owner`.",
      tag,
      auth: 'required',
      params: { id, userId },
      body: setRoleSchema,
      answer: memberSchema,
      errors: [...errors, 'FORBIDDEN', 'SERVER_LIMIT'],
      handle: ({ actor, params, body }) => members.setRole(actor, params.id, params.userId, body.role),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/members/:userId',
      summary: 'Kick a member of a lower role; for moderators.',
      tag,
      auth: 'required',
      params: { id, userId },
      answer: doneSchema,
      errors: [...errors, 'OWNER_CANNOT_LEAVE'],
      async handle({ actor, params }) {
        await members.kick(actor, params.id, params.userId);
        return done;
      },
    }),
  ];
}
