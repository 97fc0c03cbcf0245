import { z } from 'zod';
import { createInvitesSchema, inviteSchema } from '../../contract/invite.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { type Route, route, uuidParam } from '../../rest/route.ts';
import type { InviteService } from './invite.service.ts';

const tag = 'Invite codes';
const id = uuidParam('INVITE_CODE_NOT_FOUND', 'Id of the invite code.');

/** Under both spellings (contract §12). */
export function inviteRoutes(invites: InviteService): Route[] {
  return ['/api/invite-codes', '/api/invites'].flatMap((base) => routesAt(base, invites));
}

function routesAt(base: string, invites: InviteService): Route[] {
  return [
    route({
      method: 'GET',
      path: base,
      summary: 'Your invite codes, newest first.',
      tag,
      auth: 'required',
      answer: z.array(inviteSchema),
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      handle: ({ actor }) => invites.list(actor),
    }),
    route({
      method: 'POST',
      path: base,
      summary: 'Make 1 to 5 invite codes; needs the capability `invite:create`.',
      tag,
      auth: 'required',
      body: createInvitesSchema,
      status: 201,
      answer: z.array(inviteSchema),
      errors: ['INVITE_REQUIRED', 'INVITE_LIMIT', 'INSUFFICIENT_PAT_SCOPE', 'FORBIDDEN'],
      handle: ({ actor, body }) => invites.create(actor, body),
    }),
    route({
      method: 'PATCH',
      path: `${base}/:id/deactivate`,
      summary: 'Deactivate a code: it can no longer be redeemed.',
      tag,
      auth: 'required',
      params: { id },
      answer: inviteSchema,
      errors: ['INVITE_CODE_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE'],
      handle: ({ actor, params }) => invites.deactivate(actor, params.id),
    }),
    route({
      method: 'DELETE',
      path: `${base}/:id`,
      summary: 'Delete a code.',
      tag,
      auth: 'required',
      params: { id },
      answer: doneSchema,
      errors: ['INVITE_CODE_NOT_FOUND'],
      async handle({ actor, params }) {
        await invites.delete(actor, params.id);
        return done;
      },
    }),
  ];
}
