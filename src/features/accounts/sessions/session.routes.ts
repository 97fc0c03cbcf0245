import { personalTokenCalls } from '../../../contract/personal-token.ts';
import { done } from '../../../contract/schema.ts';
import { disconnectCalls, sessionCalls } from '../../../contract/session.ts';
import { bearerToken } from '../../../infrastructure/bearer.ts';
import { type Route, serve } from '../../../rest/route.ts';
import type { DisconnectService } from '../disconnect.service.ts';
import type { PersonalTokenService } from '../personal-tokens/personal-token.service.ts';
import { deviceOf } from './device.ts';
import type { SessionService } from './session.service.ts';

export function sessionRoutes(sessions: SessionService): Route[] {
  return serve(sessionCalls, {
    refreshSession: ({ body }) => sessions.refresh(body.refreshToken),
    listSessions: ({ actor }) => sessions.list(actor),
    async revokeSession({ actor, params }) {
      await sessions.revoke(actor, params.id);
      return done;
    },
    async logOut({ actor }) {
      await sessions.logOut(actor);
      return done;
    },
  });
}

export function disconnectRoutes(disconnects: DisconnectService): Route[] {
  return serve(disconnectCalls, {
    async disconnect({ headers, body, ip }) {
      await disconnects.left(bearerToken(headers.authorization) ?? body.token ?? null, ip);
      return done;
    },
  });
}

export function personalTokenRoutes(tokens: PersonalTokenService): Route[] {
  return serve(personalTokenCalls, {
    createPersonalToken: (request) => tokens.create(request.actor, request.body, deviceOf(request)),
    listPersonalTokens: ({ actor }) => tokens.list(actor),
    async revokePersonalToken({ actor, params }) {
      await tokens.revoke(actor, params.id);
      return done;
    },
  });
}
