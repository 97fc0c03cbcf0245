import { z } from 'zod';
import { done, doneSchema } from '../../contract/schema.ts';
import {
  createServerSchema,
  discoverSchema,
  inviteMemberSchema,
  ownServerSchema,
  serverSchema,
  updateServerSchema,
} from '../../contract/server.ts';
import { type Route, route, slugParam, textParam } from '../../rest/route.ts';
import type { ServerService } from './server.service.ts';

const tag = 'Servers';
const id = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');

export function serverRoutes(servers: ServerService): Route[] {
  return [...ownRoutes(servers), ...findRoutes(servers), ...manageRoutes(servers), ...inviteRoutes(servers)];
}

function ownRoutes(servers: ServerService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers',
      summary: 'Create a server; you own it, and it has a channel "general". Needs the capability server:create.',
      tag,
      auth: 'required',
      body: createServerSchema,
      status: 201,
      answer: serverSchema,
      errors: ['INVITE_REQUIRED', 'FORBIDDEN', 'SERVER_LIMIT', 'SLUG_TAKEN'],
      handle: ({ actor, body }) => servers.create(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers',
      summary: 'The servers you belong to.',
      tag,
      auth: 'required',
      answer: z.array(ownServerSchema),
      handle: ({ actor }) => servers.own(actor),
    }),
  ];
}

function findRoutes(servers: ServerService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/servers/discover',
      summary: 'Public servers, those with the most members first.',
      tag,
      auth: 'ignore-invalid',
      query: discoverSchema,
      answer: z.array(serverSchema),
      limit: 'discover',
      handle: ({ actor, query }) => servers.discover(actor, query),
    }),
    route({
      method: 'GET',
      path: '/api/servers/invite/:code',
      summary: 'The server that an invite code leads to.',
      tag,
      auth: 'ignore-invalid',
      params: { code: textParam('SERVER_NOT_FOUND', 'The code.') },
      answer: serverSchema,
      errors: ['SERVER_NOT_FOUND'],
      limit: 'discover',
      handle: ({ actor, params }) => servers.byInvite(actor, params.code),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:id',
      summary: 'A server: one of your own, or a public one.',
      tag,
      auth: 'required',
      params: { id },
      answer: serverSchema,
      errors: ['SERVER_NOT_FOUND'],
      handle: ({ actor, params }) => servers.get(actor, params.id),
    }),
  ];
}

function manageRoutes(servers: ServerService): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/api/servers/:id',
      summary: 'Change a server; for admins.',
      tag,
      auth: 'required',
      params: { id },
      body: updateServerSchema,
      answer: serverSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'SLUG_TAKEN'],
      handle: ({ actor, params, body }) => servers.update(actor, params.id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id',
      summary: 'Delete a server and everything in it; for its owner.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
      async handle({ actor, params }) {
        await servers.delete(actor, params.id);
        return done;
      },
    }),
  ];
}

function inviteRoutes(servers: ServerService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:id/invite/regenerate',
      summary: 'Create a new invite code; the old one is invalid at once. For admins.',
      tag,
      auth: 'required',
      params: { id },
      answer: z.object({ inviteCode: z.string() }),
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, params }) => servers.regenerateInvite(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/invite-member',
      summary: 'Invite a user to join, by sending them the invite code.',
      tag,
      auth: 'required',
      params: { id },
      body: inviteMemberSchema,
      answer: doneSchema,
      errors: [
        'SERVER_NOT_FOUND',
        'NOT_A_MEMBER',
        'USER_NOT_FOUND',
        'USER_BLOCKED',
        'ALREADY_MEMBER',
        'FORBIDDEN',
        'BANNED',
      ],
      async handle({ actor, params, body }) {
        await servers.invite(actor, params.id, body.userId);
        return done;
      },
    }),
  ];
}
