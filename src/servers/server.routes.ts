import { z } from 'zod';
import { type Route, route, slugParam } from '../rest/route.ts';
import { done, doneSchema } from '../schema.ts';
import { createServerSchema, joinServerSchema, ownServerSchema, serverSchema } from './server.contract.ts';
import type { ServerService } from './server.service.ts';

const tag = 'Servers';
const id = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');

export function serverRoutes(servers: ServerService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers',
      summary: 'Create a server; you own it, and it has a channel "general". Needs the capability server:create.',
      tag,
      entrance: 'user',
      body: createServerSchema,
      status: 201,
      answer: serverSchema,
      errors: ['INVITE_REQUIRED', 'SLUG_TAKEN'],
      handle: ({ actor, body }) => servers.create(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers',
      summary: 'The servers you belong to.',
      tag,
      entrance: 'user',
      answer: z.array(ownServerSchema),
      handle: ({ actor }) => servers.own(actor),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:id',
      summary: 'A server: your own ones, and public ones.',
      tag,
      entrance: 'user',
      params: { id },
      answer: serverSchema,
      errors: ['SERVER_NOT_FOUND'],
      handle: ({ actor, params }) => servers.get(actor, params.id),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/join',
      summary: 'Join a server. A private one needs its invite code; with "_" as id the code alone is enough.',
      tag,
      entrance: 'user',
      params: { id },
      body: joinServerSchema,
      answer: serverSchema,
      errors: ['SERVER_NOT_FOUND', 'INVITE_CODE_REQUIRED', 'ALREADY_MEMBER'],
      handle: ({ actor, params, body }) => servers.join(actor, params.id, body.inviteCode ?? null),
    }),
    route({
      method: 'POST',
      path: '/api/servers/:id/leave',
      summary: 'Leave a server. Its owner hands it over first.',
      tag,
      entrance: 'user',
      params: { id },
      answer: doneSchema,
      errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'OWNER_CANNOT_LEAVE'],
      async handle({ actor, params }) {
        await servers.leave(actor, params.id);
        return done;
      },
    }),
  ];
}
