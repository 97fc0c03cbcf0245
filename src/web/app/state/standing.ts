import { type Rank, ranksAbove, ranksAboveRole } from '../../../contract/standing.ts';
import type { Permission } from './rights.ts';
import type { RoleRecord } from './roles.ts';
import type { Role } from './servers.ts';

/** Where someone stands in a server. @param held ids of the server's own roles that they have */
export function rankOf(role: Role, held: readonly string[], list: readonly RoleRecord[]): Rank {
  const own = list.filter(({ id, builtIn }) => !builtIn && held.includes(id));
  return { role, place: Math.max(0, ...own.map(({ position }) => position)) };
}

/** Where the user stands in a server, and what they may do there. */
export interface Standing extends Rank {
  may(permission: Permission): boolean;
}

/** Whether one may change or delete a role. */
export function mayChange(mine: Standing, { id, builtIn, position }: RoleRecord): boolean {
  if (!mine.may('role:manage')) return false;
  if (!builtIn) return ranksAboveRole(mine, position);
  if (id === 'admin') return mine.role === 'admin' || mine.role === 'owner';
  return (id === 'moderator' || id === 'member') && ranksAbove(mine, { role: id, place: 0 });
}

/** Whether one may give a role to those whom one stands above. Nobody gives what they do not have. */
export const mayGive = (mine: Standing, { builtIn, position, permissions }: RoleRecord): boolean =>
  !builtIn &&
  mine.may('role:manage') &&
  ranksAboveRole(mine, position) &&
  permissions.every((name) => name === 'channel:view' || mine.may(name));

/** The role that someone is shown by: the highest of the server's own that they have, else their fixed one. */
export function shownRole(
  { role, roles }: { role: Role; roles: readonly string[] },
  list: readonly RoleRecord[],
): RoleRecord | undefined {
  const own = list.find(({ id, builtIn }) => !builtIn && roles.includes(id));
  return own ?? list.find(({ id, builtIn }) => builtIn && id === role);
}
