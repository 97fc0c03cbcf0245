import { METHODS } from 'node:http';
import { appProxyCalls, appServingCalls } from '../../contract/app.ts';
import { networksOf } from '../../infrastructure/client-address.ts';
import { contentReply } from '../../rest/content.ts';
import { RawReply, type Route, type RouteRequest, serve } from '../../rest/route.ts';
import type { AppProxy } from './app.proxy.ts';
import type { AppServing } from './app.serving.ts';
import type { AppsOrigin } from './apps-origin.ts';

/** The parts of apps that anyone may see, without signing in. */
export function servingRoutes(serving: AppServing, proxy: AppProxy, origin: AppsOrigin): Route[] {
  return [...fileRoutes(serving, origin), ...proxyRoutes(proxy, origin)];
}

function fileRoutes(serving: AppServing, origin: AppsOrigin): Route[] {
  return serve(appServingCalls, {
    async serveApp({ params, headers, host, raw }) {
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

type Proxied = Pick<RouteRequest<typeof appProxyCalls.proxyGet>, 'params' | 'host' | 'ip' | 'raw' | 'signal'>;

function proxyRoutes(proxy: AppProxy, origin: AppsOrigin): Route[] {
  const pass =
    (isRead: boolean) =>
    async ({ params, host, ip, raw, signal }: Proxied) => {
      const given = raw();
      const elsewhere = origin.elsewhere(host, given);
      if (elsewhere) return new RawReply(isRead ? 302 : 307, { Location: elsewhere });
      // Links of the page are relative to its folder.
      if (given.rest === '') return new RawReply(isRead ? 301 : 308, { Location: `${given.path}/${given.search}` });
      const request = { ...given, address: networksOf(ip) };
      const { status, headers, body } = await proxy.pass(params.appId, request, signal());
      return new RawReply(status, headers, body);
    };
  const routes = serve(appProxyCalls, {
    proxyGet: pass(true),
    proxyPost: pass(false),
    proxyPut: pass(false),
    proxyPatch: pass(false),
    proxyDelete: pass(false),
    proxyOptions: pass(false),
  });
  // Methods that OpenAPI cannot describe share the route of OPTIONS.
  const named: string[] = [...routes.map(({ method }) => method), 'HEAD'];
  const otherMethods = METHODS.filter((method) => !named.includes(method));
  return routes.map((route) => (route.method === 'OPTIONS' ? { ...route, otherMethods } : route));
}
