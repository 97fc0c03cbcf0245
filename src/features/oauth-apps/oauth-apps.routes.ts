import type { z } from 'zod';
import { consentCalls, oauthAppCalls } from '../../contract/oauth-app.ts';
import {
  OAuthRefusal,
  oauthProtocolCalls,
  type TokenAnswer,
  type tokenRequestSchema,
} from '../../contract/oauth-protocol.ts';
import { done } from '../../contract/schema.ts';
import type { OAuthApp } from '../../database/entities/oauth-app.entity.ts';
import { type Route, serve } from '../../rest/route.ts';
import { deviceOf } from '../accounts/sessions/device.ts';
import type { AllowedAppService } from './allowed-app.service.ts';
import type { AppTokenService } from './app-token.service.ts';
import type { AuthorizationService } from './authorization.service.ts';
import type { Clients } from './clients.ts';
import type { DeviceService } from './device.service.ts';
import type { IdTokens } from './id-tokens.ts';
import { deviceGrant, metadataOf, resourceOf } from './metadata.ts';
import type { OAuthAppService } from './oauth-app.service.ts';
import { scopesOf } from './scopes.ts';

export function oauthAppRoutes(apps: OAuthAppService): Route[] {
  return serve(oauthAppCalls, {
    createOAuthApp: ({ actor, body }) => apps.create(actor, body),
    listOAuthApps: ({ actor }) => apps.list(actor),
    changeOAuthApp: ({ actor, params, body }) => apps.change(actor, params.appId, body),
    renewOAuthAppSecret: ({ actor, params }) => apps.renewSecret(actor, params.appId),
    async deleteOAuthApp({ actor, params }) {
      await apps.delete(actor, params.appId);
      return done;
    },
  });
}

export function consentRoutes(
  authorizations: AuthorizationService,
  devices: DeviceService,
  allowed: AllowedAppService,
): Route[] {
  return serve(consentCalls, {
    lookAtAuthorization: ({ actor, body }) => authorizations.look(actor, body),
    async decideAuthorization(request) {
      return { redirectTo: await authorizations.decide(request.actor, request.body, deviceOf(request)) };
    },
    lookAtDevice: ({ actor, body }) => devices.look(actor, body.userCode),
    async decideDevice(request) {
      const { userCode, allow } = request.body;
      await devices.decide(request.actor, userCode, allow, deviceOf(request));
      return done;
    },
    listAllowedApps: ({ actor }) => allowed.list(actor),
    async endAllowedApp({ actor, params }) {
      await allowed.end(actor, params.id);
      return done;
    },
    listServerOAuthApps: ({ actor, params }) => allowed.ofServer(actor, params.serverId),
  });
}

/** What the routes of the protocols need. */
interface ProtocolParts {
  clients: Clients;
  tokens: AppTokenService;
  devices: DeviceService;
  apps: OAuthAppService;
  allowed: AllowedAppService;
  idTokens: IdTokens;
  publicUrl: () => string;
  /** Whether apps may register themselves. */
  selfRegistration: boolean;
}

export function oauthProtocolRoutes(parts: ProtocolParts): Route[] {
  const { clients, tokens, devices, publicUrl, selfRegistration } = parts;
  return serve(oauthProtocolCalls, {
    getOAuthMetadata: async () => metadataOf(publicUrl(), selfRegistration),
    getOpenIdMetadata: async () => metadataOf(publicUrl(), selfRegistration),
    getResourceMetadata: async () => resourceOf(publicUrl()),
    getMcpResourceMetadata: async () => resourceOf(publicUrl(), '/mcp'),
    getOAuthKeys: () => parts.idTokens.keys(),
    async exchangeOAuthToken({ body, headers, ip }) {
      return exchanged(tokens, await clients.authenticate(body, headers.authorization, ip), body);
    },
    async revokeOAuthToken({ body, headers, ip }) {
      const app = await clients.authenticate(body, headers.authorization, ip);
      await tokens.revoke(app, required('token', body.token));
      return {};
    },
    async introspectOAuthToken({ body, headers, ip }) {
      const app = await clients.authenticate(body, headers.authorization, ip);
      return tokens.introspect(app, required('token', body.token));
    },
    async startOAuthDevice({ body, headers, ip }) {
      return devices.start(await clients.authenticate(body, headers.authorization, ip), body);
    },
    registerOAuthClient: ({ body }) => parts.apps.register(body),
    getOAuthUser: ({ actor }) => parts.allowed.user(actor),
  });
}

/** @throws OAuthRefusal */
async function exchanged(
  tokens: AppTokenService,
  app: OAuthApp,
  body: z.output<typeof tokenRequestSchema>,
): Promise<TokenAnswer> {
  switch (body.grant_type) {
    case 'authorization_code': {
      const proof = { verifier: required('code_verifier', body.code_verifier), redirectUri: body.redirect_uri };
      return tokens.byCode(app, required('code', body.code), proof);
    }
    case 'refresh_token': {
      // What was allowed is not narrowed; the answer says what it is.
      if (body.scope !== undefined) scopesOf(body.scope);
      return tokens.byRefresh(app, required('refresh_token', body.refresh_token));
    }
    case deviceGrant:
      return tokens.byDevice(app, required('device_code', body.device_code));
    case undefined:
      throw new OAuthRefusal('invalid_request', 'The parameter grant_type is missing, or given twice.');
    default:
      throw new OAuthRefusal('unsupported_grant_type', 'There is no such grant here; see grant_types_supported.');
  }
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined && value !== '') return value;
  throw new OAuthRefusal('invalid_request', `The parameter ${name} is missing.`);
}
