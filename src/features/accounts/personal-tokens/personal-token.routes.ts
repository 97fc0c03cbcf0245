import { personalTokenCalls } from '../../../contract/personal-token.ts';
import { done } from '../../../contract/schema.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { PersonalTokenService } from './personal-token.service.ts';

export function personalTokenRoutes(tokens: PersonalTokenService): Route[] {
  return serve(personalTokenCalls, {
    createPersonalToken: ({ actor, body }) => tokens.create(actor, body),
    listPersonalTokens: ({ actor }) => tokens.list(actor),
    async revokePersonalToken({ actor, params }) {
      await tokens.revoke(actor, params.id);
      return done;
    },
  });
}
