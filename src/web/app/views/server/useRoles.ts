import type { ServerRecord } from '../../../../client/index.ts';
import type { RoleRecord } from '../../state/roles.ts';
import { type Standing, standingOf } from '../../state/standing.ts';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp } from '../useApp.ts';

/** Loads the roles of a server, and again when they change. @returns them, the highest first */
export function useRoles(server: ServerRecord | null): readonly RoleRecord[] {
  const { roles } = useApp();
  useLoaded(async () => {
    if (server) await roles.load(server.id);
  }, [server?.id, server?.rolesVersion]);
  return roles.lists.value.get(server?.id ?? '') ?? [];
}

/** Where the user stands in a server, as far as its roles are loaded. */
export function ownStanding({ roles }: AppState, { id, role }: ServerRecord): Standing {
  return standingOf(role ?? 'member', roles.own.value.get(id) ?? [], roles.lists.value.get(id) ?? []);
}
