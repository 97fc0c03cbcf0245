import type { ChannelsServices } from '../channels/channels.module.ts';
import type { Context } from '../context.ts';
import type { MembersServices } from '../members/members.module.ts';
import type { PresenceServices } from '../presence/presence.module.ts';
import { roleRoutes } from './role.routes.ts';
import { RoleService } from './role.service.ts';

/** The roles of servers (contract §5). */
export function rolesModule(context: Context & MembersServices & ChannelsServices & PresenceServices) {
  return { routes: roleRoutes(new RoleService(context)) };
}
