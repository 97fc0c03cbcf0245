import type { Context } from '../context.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { RaidService } from './raid.service.ts';

export type RaidsServices = ReturnType<typeof raidsModule>['services'];

/** Raid mode of servers (contract §5); its calls are served beside those that remove members. */
export function raidsModule(context: Context & PresenceServices) {
  const raids = new RaidService(context);
  return { services: { raids }, jobs: [raids.ending()] };
}
