import type { ServerRecord } from '../../../../client/index.ts';
import type { Rank } from '../../../../contract/standing.ts';
import type { RoleRecord } from '../../state/roles.ts';
import type { Member } from '../../state/servers.ts';
import { rankOf, type Standing } from '../../state/standing.ts';
import { useLoaded } from '../parts/loading.ts';
import { type AppState, useApp } from '../useApp.ts';

type Held = Pick<Member, 'role' | 'roles'>;

/** Loads the roles of a server, and again when they change. @returns them, the highest first */
export function useRoles(server: ServerRecord | null): readonly RoleRecord[] {
  const { roles } = useApp();
  useLoaded(async () => {
    if (server) await roles.load(server.id);
  }, [server?.id, server?.rolesVersion]);
  return roles.lists.value.get(server?.id ?? '') ?? [];
}

/** Where the user stands in a server, as far as its roles are loaded, and what they may do there. */
export function ownStanding({ roles, rights }: AppState, server: ServerRecord): Standing {
  const { id, role } = server;
  const rank = rankOf(role ?? 'member', roles.own.value.get(id) ?? [], roles.lists.value.get(id) ?? []);
  return { ...rank, may: (permission) => rights.may(server, permission) };
}

/** Where another member stands. */
export const standingOf = ({ roles }: AppState, { id }: ServerRecord, { role, roles: held }: Held): Rank =>
  rankOf(role, held, roles.lists.value.get(id) ?? []);
