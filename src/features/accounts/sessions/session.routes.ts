import { z } from 'zod';
import { done, doneSchema } from '../../../contract/schema.ts';
import { refreshSchema, sessionSchema, tokenPairSchema } from '../../../contract/session.ts';
import { type Route, route, uuidParam } from '../../../rest/route.ts';
import type { SessionService } from './session.service.ts';

const tag = 'Sessions';
const id = uuidParam('SESSION_NOT_FOUND', 'Id of the session.');

export function sessionRoutes(sessions: SessionService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/refresh',
      summary:
        'Exchange the refresh token for a new pair. Repeated within 20 s it gives the same successor; later that ends the session.',
      tag,
      auth: 'none',
      body: refreshSchema,
      answer: tokenPairSchema,
      errors: ['REFRESH_TOKEN_INVALID', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED'],
      limit: 'refresh',
      handle: ({ body }) => sessions.refresh(body.refreshToken),
    }),
    route({
      method: 'GET',
      path: '/api/auth/sessions',
      summary: 'Your sessions, the latest first.',
      tag,
      auth: 'required',
      answer: z.array(sessionSchema),
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      handle: ({ actor }) => sessions.list(actor),
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/sessions/:id',
      summary: 'End one of your sessions, with its tokens and sockets, on all nodes.',
      tag,
      auth: 'required',
      limit: null,
      params: { id },
      answer: doneSchema,
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      async handle({ actor, params }) {
        await sessions.revoke(actor, params.id);
        return done;
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/logout',
      summary: 'End the session that asks.',
      tag,
      auth: 'required',
      limit: null,
      answer: doneSchema,
      errors: ['INSUFFICIENT_PAT_SCOPE'],
      repeats: 'never',
      async handle({ actor }) {
        await sessions.logOut(actor);
        return done;
      },
    }),
  ];
}
