import { z } from 'zod';
import { createTokenSchema, newTokenSchema, personalTokenSchema } from '../../../contract/personal-token.ts';
import { done, doneSchema } from '../../../contract/schema.ts';
import { type Route, route, uuidParam } from '../../../rest/route.ts';
import type { PersonalTokenService } from './personal-token.service.ts';

const tag = 'Personal access tokens';
const id = uuidParam('TOKEN_NOT_FOUND', 'Id of the token.');

export function personalTokenRoutes(tokens: PersonalTokenService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/tokens',
      summary: 'Create a personal access token. It is shown only this once. user:read may only GET.',
      tag,
      auth: 'required',
      body: createTokenSchema,
      status: 201,
      answer: newTokenSchema,
      errors: ['TOKEN_LIMIT', 'INSUFFICIENT_PAT_SCOPE'],
      shownOnce: ['token'],
      handle: ({ actor, body }) => tokens.create(actor, body),
    }),
    route({
      method: 'GET',
      path: '/api/tokens',
      summary: 'Your tokens, the newest first, without their secrets.',
      tag,
      auth: 'required',
      answer: z.array(personalTokenSchema),
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      handle: ({ actor }) => tokens.list(actor),
    }),
    route({
      method: 'DELETE',
      path: '/api/tokens/:id',
      summary: 'Revoke a token; it is refused at once, and its sockets are closed.',
      tag,
      auth: 'required',
      limit: null,
      params: { id },
      answer: doneSchema,
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      async handle({ actor, params }) {
        await tokens.revoke(actor, params.id);
        return done;
      },
    }),
  ];
}
