import { z } from 'zod';
import { banMemberSchema, banSchema, listBansSchema } from '../../contract/ban.ts';
import { done, doneSchema } from '../../contract/schema.ts';
import { pageReply, type Route, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { BanService } from './ban.service.ts';

const tag = 'Servers';
const id = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;

export function banRoutes(bans: BanService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/servers/:id/bans',
      summary: 'Ban someone, member or not, with their bots; a second ban replaces the first. For moderators.',
      tag,
      auth: 'required',
      params: { id },
      body: banMemberSchema,
      status: 201,
      answer: banSchema,
      errors: [...errors, 'USER_NOT_FOUND'],
      handle: ({ actor, params, body }) => bans.ban(actor, params.id, body),
    }),
    route({
      method: 'GET',
      path: '/api/servers/:id/bans',
      summary: 'The bans that count, newest first; for moderators. X-Has-More says whether there are more.',
      tag,
      auth: 'required',
      params: { id },
      query: listBansSchema,
      paged: true,
      answer: z.array(banSchema),
      errors: [...errors, 'INVALID_CURSOR'],
      handle: async ({ actor, params, query }) => pageReply(await bans.list(actor, params.id, query)),
    }),
    route({
      method: 'DELETE',
      path: '/api/servers/:id/bans/:userId',
      summary: 'Lift a ban; for moderators.',
      tag,
      auth: 'required',
      params: { id, userId: uuidParam('BAN_NOT_FOUND', 'Id of the user.') },
      answer: doneSchema,
      errors: [...errors, 'BAN_NOT_FOUND', 'FORBIDDEN'],
      async handle({ actor, params }) {
        await bans.lift(actor, params.id, params.userId);
        return done;
      },
    }),
  ];
}
