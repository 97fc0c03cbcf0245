import type { BlobsServices } from '../blobs/blobs.module.ts';
import type { Context } from '../context.ts';
import type { WorkspaceServices } from '../workspace/workspace.module.ts';
import { AppAccess } from './app.access.ts';
import { AppProxy } from './app.proxy.ts';
import { serverAppRoutes } from './app.routes.ts';
import { AppService } from './app.service.ts';
import { AppServing } from './app.serving.ts';
import { AppsOrigin } from './apps-origin.ts';
import { BundleSources } from './bundle-sources.ts';
import { servingRoutes } from './serving.routes.ts';
import { ViewCounter } from './view-counter.ts';

export type AppsServices = ReturnType<typeof appsModule>['services'];

/** Apps of servers: their files are served, or their own server is proxied (contract §8). */
export function appsModule(context: Context & BlobsServices & WorkspaceServices) {
  const { settings, database } = context;
  const limits = settings.apps;
  const views = new ViewCounter(database, context.log);
  const bundleSources = new BundleSources({ ...context, limits: limits.bundle });
  const appAccess = new AppAccess(database, context.serverAccess);
  const apps = new AppService({ ...context, appAccess, bundleSources, limits });
  const serving = new AppServing({ ...context, views });
  const appProxy = new AppProxy({ ...context, limits: limits.proxy });
  const appsOrigin = new AppsOrigin(settings.appsUrl);
  return {
    services: { appProxy, appsOrigin, appAccess },
    routes: [...serverAppRoutes(apps), ...servingRoutes(serving, appProxy, appsOrigin)],
    close: () => views.close(),
  };
}
