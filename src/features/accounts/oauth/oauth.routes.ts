import { AppError } from '../../../contract/errors.ts';
import { oauthCalls } from '../../../contract/oauth.ts';
import { done } from '../../../contract/schema.ts';
import { RawReply, Reply, type Route, serve } from '../../../rest/route.ts';
import { deviceOf } from '../sessions/device.ts';
import type { LinkingService } from './linking.service.ts';
import type { OAuthService } from './oauth.service.ts';

export function oauthRoutes(oauth: OAuthService, linking: LinkingService): Route[] {
  return serve(oauthCalls, {
    listOAuthProviders: async () => oauth.list(),
    startOAuth: async ({ params, query }) => redirection(await oauth.start(params.provider, query)),
    async finishOAuth(request) {
      const { method, search } = request.raw();
      // Only a GET consumes the state: after a HEAD the browser still needs it.
      if (method === 'HEAD') throw new AppError('METHOD_NOT_ALLOWED', { headers: { Allow: 'GET' } });
      const brought = { state: request.query.state, cookies: request.headers.cookie ?? '', search };
      return redirection(await oauth.finish(request.params.provider, brought, deviceOf(request)));
    },
    async startOAuthLink({ actor, params, body }) {
      const { url, cookie } = await oauth.startLink(actor, params.provider, body.redirect);
      return new Reply({ url }, { headers: { 'Set-Cookie': cookie, 'Cache-Control': 'no-store' } });
    },
    signInByIdToken: (request) => oauth.byIdToken(request.params.provider, request.body, deviceOf(request)),
    listOAuthAccounts: ({ actor }) => linking.list(actor),
    async unlinkOAuthAccount(request) {
      await linking.unlink(request.actor, request.params.accountId, deviceOf(request));
      return done;
    },
  });
}

function redirection({ url, cookie }: { url: string; cookie?: string }): RawReply {
  const headers = { Location: url, 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' };
  return new RawReply(302, cookie ? { ...headers, 'Set-Cookie': cookie } : headers);
}
