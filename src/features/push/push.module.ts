import type { Context } from '../context.ts';
import type { Module } from '../module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { pushRoutes } from './push.routes.ts';
import { PushSender } from './push.sender.ts';
import { PushService } from './push.service.ts';
import { PushTrials } from './push.trials.ts';
import { PushWork } from './push.work.ts';

export type PushServices = ReturnType<typeof pushModule>['services'];

/** Pushes to devices whose page is closed (contract §7, Push). */
export function pushModule(context: Context & PresenceServices) {
  const { log, outgoing, settings } = context;
  const sender = settings.pushKeys && new PushSender(outgoing, settings.pushKeys, settings);
  const pushWork = new PushWork({ ...context, sender });
  return {
    services: { pushWork, pushTrials: new PushTrials(context.database, sender) },
    routes: pushRoutes(new PushService(context)),
    jobs: pushWork.kinds,
    start() {
      if (!sender) log.info('Nothing is pushed: PUSH is off, or VAPID_PRIVATE_KEY is missing beside DATABASE_URL.');
    },
  } satisfies Module;
}
