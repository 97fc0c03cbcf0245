import type { ServerAccess } from '../../access/server.access.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import type { Log } from '../../infrastructure/log.ts';
import type { Outgoing } from '../../infrastructure/outgoing.ts';
import type { Settings } from '../../settings/settings.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { BlobStore } from '../blobs/blob.store.ts';
import type { WorkspaceAccess } from '../workspace/workspace.access.ts';
import { AppAccess } from './app.access.ts';
import { AppProxy } from './app.proxy.ts';
import { AppService } from './app.service.ts';
import { AppServing } from './app.serving.ts';
import { AppsOrigin } from './apps-origin.ts';
import { BundleSources } from './bundle-sources.ts';
import { ViewCounter } from './view-counter.ts';

/** The services of apps that handlers use. */
export interface AppServices {
  apps: AppService;
  appServing: AppServing;
  appProxy: AppProxy;
  appsOrigin: AppsOrigin;
}

/** Builds the services of this feature. */
export function createApps(foundation: {
  settings: Settings;
  log: Log;
  database: Database;
  changes: Changes;
  serverAccess: ServerAccess;
  workspaceAccess: WorkspaceAccess;
  blobs: BlobStore;
  allowance: StorageAllowance;
  outgoing: Outgoing;
}) {
  const { settings, database, workspaceAccess, blobs, outgoing } = foundation;
  const appAccess = new AppAccess(database, foundation.serverAccess);
  const bundleSources = new BundleSources({ database, workspaceAccess, blobs, limits: settings.apps.bundle });
  const viewCounter = new ViewCounter(database, foundation.log);
  const services: AppServices = {
    apps: new AppService({ ...foundation, appAccess, bundleSources, limits: settings.apps }),
    appServing: new AppServing({ database, blobs, views: viewCounter }),
    appProxy: new AppProxy({ database, outgoing, limits: settings.apps.proxy }),
    appsOrigin: new AppsOrigin(settings.appsUrl),
  };
  return { services, viewCounter };
}
