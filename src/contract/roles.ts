import { AppError } from './errors.ts';

/** Roles of a server, from the most powerful down (contract §5). */
export const roles = ['owner', 'admin', 'moderator', 'member'] as const;

export type Role = (typeof roles)[number];

/**
 * The permissions in a server, each with the least role that has it. This is all there is about roles; rules that also
 * depend on the object (one's own message, a private channel) are added where the object is fetched.
 */
const permissions = {
  'server:update': 'admin',
  'server:delete': 'owner',
  'server:hand-over': 'owner',
  'server:regenerate-invite': 'admin',
  'server:invite': 'member',
  'join-request:decide': 'admin',
  'member:set-role': 'admin',
  'member:kick': 'moderator',
  'member:ban': 'moderator',
  'channel:create': 'admin',
  'channel:update': 'admin',
  'channel:delete': 'admin',
  'channel:archive': 'admin',
  'channel:order': 'admin',
  'channel:see-private': 'admin',
  'channel:add-member': 'admin',
  'channel:remove-member': 'moderator',
  'channel:announce': 'admin',
  'message:delete-others': 'moderator',
  'message:pin': 'moderator',
  'message:mention-all': 'moderator',
  'thread:manage': 'moderator',
  'app:manage': 'admin',
  'app:see-all': 'admin',
  'bot:set-policy': 'admin',
  'bot:keep': 'admin',
  'bot:set-rights': 'admin',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof permissions;

const rank = (role: Role) => roles.length - roles.indexOf(role);

/** Whether a role has a permission; nobody outside a server (null) has any. */
export function may(role: Role | null | undefined, permission: Permission): boolean {
  return role != null && rank(role) >= rank(permissions[permission]);
}

/** @throws AppError ROLE_REQUIRED, naming the least role that suffices */
export function requireRole(role: Role | null | undefined, permission: Permission): void {
  if (may(role, permission)) return;
  const least = permissions[permission];
  throw new AppError('ROLE_REQUIRED', {
    message: least === 'owner' ? 'Only the owner may do this.' : `This takes the role "${least}" or a higher one.`,
    extra: { requiredRole: least },
  });
}

/** The roles that have a permission, as a list for SQL. */
export function rolesThatMay(permission: Permission): string {
  const all = roles.filter((role) => may(role, permission));
  return all.map((role) => `'${role}'`).join(', ');
}

/** Whether one may act on the other: nobody acts on an equal or higher role (contract §5). */
export function outranks(role: Role, other: Role): boolean {
  return rank(role) > rank(other);
}

/** @throws AppError ROLE_REQUIRED where one may not act on the other */
export function requireToOutrank(role: Role | null, other: Role): void {
  if (role !== null && outranks(role, other)) return;
  throw new AppError('ROLE_REQUIRED', { message: 'Nobody acts on an equal or higher role.' });
}
