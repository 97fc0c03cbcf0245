import { roleCalls } from '../../contract/role.ts';
import { done } from '../../contract/schema.ts';
import { type Route, serve } from '../../rest/route.ts';
import type { RoleService } from './role.service.ts';

export function roleRoutes(roles: RoleService): Route[] {
  return serve(roleCalls, {
    listRoles: ({ actor, params }) => roles.list(actor, params.id),
    createRole: ({ actor, params, body }) => roles.create(actor, params.id, body),
    orderRoles: ({ actor, params, body }) => roles.order(actor, params.id, body),
    updateRole: ({ actor, params, body }) => roles.update(actor, params.id, params.roleId, body),
    deleteRole: async ({ actor, params }) => {
      await roles.remove(actor, params.id, params.roleId);
      return done;
    },
    assignRole: ({ actor, params }) => roles.assign(actor, params.id, params.userId, params.roleId, true),
    unassignRole: ({ actor, params }) => roles.assign(actor, params.id, params.userId, params.roleId, false),
  });
}
