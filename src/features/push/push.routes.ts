import { pushCalls } from '../../contract/push.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { PushService } from './push.service.ts';

export function pushRoutes(pushes: PushService): Route[] {
  return serve(pushCalls, {
    getPushKey: async () => ({ publicKey: pushes.publicKey }),
    getPushSubscription: async ({ actor }) => ({ subscription: await pushes.subscription(actor) }),
    putPushSubscription: ({ actor, body }) => pushes.subscribe(actor, body),
    async deletePushSubscription({ actor }) {
      await pushes.unsubscribe(actor);
      return done;
    },
    async testPush({ actor }) {
      await pushes.test(actor);
      return done;
    },
    getPushPreferences: ({ actor }) => pushes.preferences(actor),
    updatePushPreferences: ({ actor, body }) => pushes.changePreferences(actor, body),
  });
}
