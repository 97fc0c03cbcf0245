import type { RoleRecord } from './roles.ts';
import { isAtLeast, outranks, type Role } from './servers.ts';

export type Permission = RoleRecord['permissions'][number];

/** Where someone stands in a server, and what they may do there. */
export interface Standing {
  role: Role;
  /** The position of the highest of their own roles; 0 without one. */
  place: number;
  permissions: ReadonlySet<Permission>;
}

/** @param held ids of the server's own roles that they have */
export function standingOf(role: Role, held: readonly string[], list: readonly RoleRecord[]): Standing {
  const own = list.filter(({ id, builtIn }) => !builtIn && held.includes(id));
  const fixed = list.filter(({ id, builtIn }) => builtIn && id === role);
  return {
    role,
    place: Math.max(0, ...own.map(({ position }) => position)),
    permissions: new Set([...fixed, ...own].flatMap(({ permissions }) => permissions)),
  };
}

/** Whether one may act on the other. */
export const standsOver = (mine: Standing, theirs: Pick<Standing, 'role' | 'place'>): boolean =>
  outranks(mine.role, theirs.role) || (mine.role === theirs.role && mine.place > theirs.place);

/** Whether one may move, change or give own roles at a position. */
export const isOver = ({ role, place }: Standing, position: number): boolean =>
  isAtLeast(role, 'admin') || place > position;

/** Whether one may change or delete a role. */
export function mayChange(mine: Standing, { id, builtIn, position }: RoleRecord): boolean {
  if (!mine.permissions.has('role:manage')) return false;
  if (!builtIn) return isOver(mine, position);
  if (id === 'admin') return isAtLeast(mine.role, 'admin');
  return (id === 'moderator' || id === 'member') && standsOver(mine, { role: id, place: 0 });
}

/** Whether one may give a role to those whom one stands over. Nobody gives what they do not have. */
export const mayGive = (mine: Standing, { builtIn, position, permissions }: RoleRecord): boolean =>
  !builtIn &&
  mine.permissions.has('role:manage') &&
  isOver(mine, position) &&
  permissions.every((name) => name === 'channel:view' || mine.permissions.has(name));

/** The role that someone is shown by: the highest of the server's own that they have, else their fixed one. */
export function shownRole(
  { role, roles }: { role: Role; roles: readonly string[] },
  list: readonly RoleRecord[],
): RoleRecord | undefined {
  const own = list.find(({ id, builtIn }) => !builtIn && roles.includes(id));
  return own ?? list.find(({ id, builtIn }) => builtIn && id === role);
}
