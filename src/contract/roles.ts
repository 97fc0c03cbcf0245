import { AppError } from './errors.ts';

/** Roles of a server, from the most powerful down (contract §5). */
export const roles = ['owner', 'admin', 'moderator', 'member'] as const;

export type Role = (typeof roles)[number];

/**
 * What someone may act as: their role, or `unprotected`, no more than a member, while the server holds back a higher role
 * until they have a second factor (contract §5).
 */
export type ActingRole = Role | 'unprotected';

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

const rank = (role: ActingRole) => roles.length - roles.indexOf(role === 'unprotected' ? 'member' : role);

/** Whether a role has a permission; nobody outside a server (null) has any. */
export function may(role: ActingRole | null | undefined, permission: Permission): boolean {
  return role != null && rank(role) >= rank(permissions[permission]);
}

/** @throws AppError ROLE_REQUIRED, naming the least role that suffices; SECOND_FACTOR_SETUP_REQUIRED */
export function requireRole(role: ActingRole | null | undefined, permission: Permission): void {
  if (may(role, permission)) return;
  if (role === 'unprotected') throw unprotected();
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
export function outranks(role: ActingRole, other: ActingRole): boolean {
  return rank(role) > rank(other);
}

/** @throws AppError ROLE_REQUIRED where one may not act on the other; SECOND_FACTOR_SETUP_REQUIRED */
export function requireToOutrank(role: ActingRole | null, other: Role): void {
  if (role !== null && outranks(role, other)) return;
  if (role === 'unprotected') throw unprotected();
  throw new AppError('ROLE_REQUIRED', { message: 'Nobody acts on an equal or higher role.' });
}

const unprotected = () =>
  new AppError('SECOND_FACTOR_SETUP_REQUIRED', {
    message: 'This server lets only those use their role who have a second factor; set one up in your settings first.',
  });
