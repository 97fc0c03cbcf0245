import { METHODS } from 'node:http';
import { addressKey } from '../../infrastructure/client-address.ts';
import { contentHeaders, contentReply } from '../../rest/content.ts';
import { pathParam, RawReply, type Route, rawAnswer, route, slugParam, uuidParam } from '../../rest/route.ts';
import type { AppProxy } from './app.proxy.ts';
import type { AppServing } from './app.serving.ts';
import type { AppsOrigin } from './apps-origin.ts';

const tag = 'Apps';
const serverId = slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.');
const appId = slugParam('APP_NOT_FOUND', 'Id or slug of the app.');
const proxiedId = uuidParam('APP_NOT_FOUND', 'Id of the app.');
const path = pathParam('APP_FILE_NOT_FOUND', 'Path in the app.');

/** The parts of apps that anyone may see, without signing in. */
export function servingRoutes(serving: AppServing, proxy: AppProxy, origin: AppsOrigin): Route[] {
  return [fileRoute(serving, origin), ...proxyRoutes(proxy, origin)];
}

function fileRoute(serving: AppServing, origin: AppsOrigin): Route {
  return route({
    method: 'GET',
    path: '/api/servers/:serverId/apps/:appId/serve/*path',
    summary: 'The files of an app; its page at the root.',
    tag,
    auth: 'none',
    params: { serverId, appId, path },
    headers: contentHeaders,
    userContent: true,
    produces: '*/*',
    redirects: [301, 302],
    answer: rawAnswer,
    async handle({ params, headers, host, raw }) {
      const given = raw();
      const elsewhere = origin.elsewhere(host, given);
      if (elsewhere) return new RawReply(302, { Location: elsewhere });
      const served = await serving.at(params.serverId, params.appId, given);
      if ('location' in served) return new RawReply(served.status, { Location: served.location });
      const reply = contentReply(served.content, headers);
      if (given.method === 'GET' && reply.status === 200) served.viewed();
      return reply;
    },
  });
}

function proxyRoutes(proxy: AppProxy, origin: AppsOrigin): Route[] {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
  const named: string[] = [...methods, 'HEAD'];
  const others = METHODS.filter((method) => !named.includes(method));
  return methods.map((method) =>
    route({
      method,
      otherMethods: method === 'OPTIONS' ? others : [],
      path: '/api/app-proxy/:appId/*path',
      summary: 'Forwards the request to an app of type "url".',
      tag,
      auth: 'none',
      params: { appId: proxiedId, path },
      userContent: true,
      produces: '*/*',
      redirects: method === 'GET' ? [301, 302] : [307, 308],
      answer: rawAnswer,
      errors: ['UNSAFE_URL', 'BODY_TOO_LARGE', 'APP_PROXY_FAILED', 'APP_PROXY_TIMEOUT'],
      async handle({ params, host, ip, raw, signal }) {
        const given = raw();
        const isRead = method === 'GET';
        const elsewhere = origin.elsewhere(host, given);
        if (elsewhere) return new RawReply(isRead ? 302 : 307, { Location: elsewhere });
        // Links of the page are relative to its folder.
        if (given.rest === '') return new RawReply(isRead ? 301 : 308, { Location: `${given.path}/${given.search}` });
        const request = { ...given, address: addressKey(ip) };
        const { status, headers, body } = await proxy.pass(params.appId, request, signal());
        return new RawReply(status, headers, body);
      },
    }),
  );
}
