import type { Middleware } from 'koa';
import { AppError } from '../errors.ts';

const ofApps = /^\/api\/(servers\/[^/]+\/apps\/[^/]+\/serve|app-proxy)(\/|$)/;

/** On the host that apps have for themselves there is nothing else: no API that shares their origin. */
export function onlyApps(isAppsHost: (host: string) => boolean): Middleware {
  return async (context, next) => {
    if (isAppsHost(context.host) && !ofApps.test(context.path)) throw new AppError('ROUTE_NOT_FOUND');
    await next();
  };
}
