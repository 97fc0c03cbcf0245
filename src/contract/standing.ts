import type { Permission, Role } from './roles.ts';

/** Where someone stands in a server. */
export interface Rank {
  readonly role: Role;
  /** The position of the highest of the server's own roles that they have; 0 without one. */
  readonly place: number;
}

const heights: Record<Role, number> = { owner: 4, admin: 3, moderator: 2, member: 1 };

/** How high a fixed role stands. */
export const heightOf = (role: Role): number => heights[role];

/** Whether one stands above the other. Of the same fixed role the one with the higher own role does (contract §5). */
export function ranksAbove(one: Rank, other: Rank): boolean {
  const difference = heights[one.role] - heights[other.role];
  return difference > 0 || (difference === 0 && one.place > other.place);
}

/** Whether someone stands above an own role at a position: the owner and admins are above all of them (contract §5). */
export function ranksAboveRole({ role, place }: Rank, position: number): boolean {
  return heights[role] >= heights.admin || place > position;
}

/** The permissions that only let someone see more: whoever is timed out keeps them (contract §5). */
const seeing: ReadonlySet<Permission> = new Set<Permission>([
  'channel:view',
  'channel:see-private',
  'app:see-all',
  'audit:read',
  'history:read',
]);

/** Whether someone keeps a permission while they are timed out. */
export const isKeptInTimeout = (permission: Permission): boolean => seeing.has(permission);
