import { appCalls } from '../../contract/app.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { AppService } from './app.service.ts';

export function serverAppRoutes(apps: AppService): Route[] {
  return serve(appCalls, {
    listApps: ({ actor, params, query }) => apps.list(actor, params.serverId, query),
    getHomepage: ({ actor, params }) => apps.homepage(actor, params.serverId),
    getApp: ({ actor, params }) => apps.get(actor, params.serverId, params.appId),
    createApp: ({ actor, params, body }) => apps.create(actor, params.serverId, body),
    publishApp: ({ actor, params, body }) => apps.publish(actor, params.serverId, body),
    updateApp: ({ actor, params, body }) => apps.update(actor, params.serverId, params.appId, body),
    async deleteApp({ actor, params }) {
      await apps.delete(actor, params.serverId, params.appId);
      return done;
    },
  });
}
