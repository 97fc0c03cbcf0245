import { z } from 'zod';
import { authSchema } from '../../../contract/account.ts';
import { AppError } from '../../../contract/errors.ts';
import {
  callbackSchema,
  idTokenSchema,
  linkAnswerSchema,
  linkSchema,
  oauthAccountSchema,
  oauthProviderSchema,
  startOAuthSchema,
} from '../../../contract/oauth.ts';
import { done, doneSchema } from '../../../contract/schema.ts';
import { RawReply, Reply, type Route, rawAnswer, route, textParam, uuidParam } from '../../../rest/route.ts';
import { deviceOf } from '../sessions/device.ts';
import type { LinkingService } from './linking.service.ts';
import type { OAuthService } from './oauth.service.ts';

const tag = 'Identity providers';
const provider = textParam('PROVIDER_NOT_CONFIGURED', 'Word of the provider, such as google.');
const accountId = uuidParam('OAUTH_ACCOUNT_NOT_FOUND', 'Id of the linked account.');

export function oauthRoutes(oauth: OAuthService, linking: LinkingService): Route[] {
  return [...browserRoutes(oauth), ...tokenRoutes(oauth), ...accountRoutes(linking)];
}

function browserRoutes(oauth: OAuthService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/auth/oauth/providers',
      summary: 'The configured providers that people may sign in with.',
      tag,
      auth: 'none',
      answer: z.array(oauthProviderSchema),
      handle: async () => oauth.list(),
    }),
    route({
      method: 'GET',
      path: '/api/auth/oauth/:provider',
      summary: 'Send a browser here to sign in with a provider; it comes back to /app/oauth-callback.',
      tag,
      auth: 'none',
      params: { provider },
      query: startOAuthSchema,
      status: 302,
      produces: 'text/plain',
      answer: rawAnswer,
      limit: 'oauth',
      handle: async ({ params, query }) => redirection(await oauth.start(params.provider, query)),
    }),
    route({
      method: 'GET',
      path: '/api/auth/oauth/:provider/callback',
      summary: 'Where providers send browsers back to.',
      tag,
      auth: 'none',
      params: { provider },
      query: callbackSchema,
      headers: z.object({ cookie: z.string().optional() }),
      status: 302,
      produces: 'text/plain',
      answer: rawAnswer,
      limit: 'oauth',
      async handle(request) {
        const { method, search } = request.raw();
        // A GET consumes the state, so a HEAD must not: the browser that comes next needs it.
        if (method === 'HEAD') throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } });
        const brought = { state: request.query.state, cookies: request.headers.cookie ?? '', search };
        return redirection(await oauth.finish(request.params.provider, brought, deviceOf(request)));
      },
    }),
  ];
}

function tokenRoutes(oauth: OAuthService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/oauth/:provider/link',
      summary: "Start linking a provider's account to yours: send the browser to the url, with the cookie it got.",
      tag,
      auth: 'required',
      params: { provider },
      body: linkSchema,
      answer: linkAnswerSchema,
      errors: ['PROVIDER_UNAVAILABLE', 'INSUFFICIENT_PAT_SCOPE'],
      limit: 'oauth',
      repeats: 'never',
      async handle({ actor, params, body }) {
        const { url, cookie } = await oauth.startLink(actor, params.provider, body.redirect);
        return new Reply({ url }, { headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } });
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/:provider/id-token',
      summary: "Sign in or sign up with a provider's ID token.",
      tag,
      auth: 'none',
      params: { provider },
      body: idTokenSchema,
      answer: authSchema,
      errors: ['ID_TOKEN_INVALID', 'PROVIDER_UNAVAILABLE', 'ACCOUNT_SUSPENDED', 'EMAIL_NOT_VERIFIED'],
      limit: 'auth',
      handle: (request) => oauth.byIdToken(request.params.provider, request.body, deviceOf(request)),
    }),
  ];
}

function accountRoutes(linking: LinkingService): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/auth/oauth/accounts',
      summary: 'The accounts of providers that sign you in.',
      tag,
      auth: 'required',
      answer: z.array(oauthAccountSchema),
      handle: ({ actor }) => linking.list(actor),
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/oauth/accounts/:accountId',
      summary: 'Unlink an account. The last way to sign in stays.',
      tag,
      auth: 'required',
      params: { accountId },
      answer: doneSchema,
      errors: ['LAST_SIGN_IN_METHOD', 'INSUFFICIENT_PAT_SCOPE'],
      async handle({ actor, params }) {
        await linking.unlink(actor, params.accountId);
        return done;
      },
    }),
  ];
}

function redirection({ url, cookie }: { url: string; cookie?: string }): RawReply {
  const headers = { Location: url, 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };
  return new RawReply(302, cookie ? { ...headers, 'Set-Cookie': cookie } : headers);
}
