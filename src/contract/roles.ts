import { AppError } from './errors.ts';
import { heightOf, isKeptInTimeout, type Rank, ranksAbove } from './standing.ts';

/** The fixed roles of a server, from the most powerful down (contract §5). Everyone has one of them. */
export const roles = ['owner', 'admin', 'moderator', 'member'] as const;

export type Role = (typeof roles)[number];

/** The fixed roles that a server gives permissions to as it likes, or overrides in a channel. */
export const builtInRoles = ['admin', 'moderator', 'member'] as const;
export type BuiltInRole = (typeof builtInRoles)[number];

/**
 * The permissions in a server, each with the least fixed role that has it unless the server decides otherwise. Rules that
 * also depend on the object (one's own message, a private channel) are added where the object is fetched.
 */
const leastRoles = {
  'server:update': 'admin',
  'server:delete': 'owner',
  'server:hand-over': 'owner',
  'server:regenerate-invite': 'admin',
  'server:invite': 'member',
  'server:raid': 'moderator',
  'invite:create': 'member',
  'invite:manage': 'moderator',
  'join-request:decide': 'admin',
  'role:manage': 'admin',
  'member:set-role': 'admin',
  'member:kick': 'moderator',
  'member:ban': 'moderator',
  'member:timeout': 'moderator',
  'member:delete-messages': 'moderator',
  'report:decide': 'moderator',
  'audit:read': 'admin',
  'filter:manage': 'admin',
  'held:decide': 'moderator',
  'retention:set': 'admin',
  'emoji:manage': 'admin',
  'history:read': 'moderator',
  'channel:create': 'admin',
  'channel:update': 'admin',
  'channel:delete': 'admin',
  'channel:archive': 'admin',
  'channel:order': 'admin',
  'channel:override': 'admin',
  'channel:view': 'member',
  'channel:see-private': 'admin',
  'channel:add-member': 'admin',
  'channel:remove-member': 'moderator',
  'channel:announce': 'admin',
  'message:post': 'member',
  'message:react': 'member',
  'message:delete-others': 'moderator',
  'message:pin': 'moderator',
  'message:mention-all': 'moderator',
  'message:skip-slow-mode': 'moderator',
  'message:skip-filters': 'moderator',
  'file:attach': 'member',
  'thread:start': 'member',
  'thread:manage': 'moderator',
  'app:manage': 'admin',
  'app:see-all': 'admin',
  'bot:set-policy': 'admin',
  'bot:keep': 'admin',
  'bot:set-rights': 'admin',
} as const satisfies Record<string, Role>;

export type Permission = keyof typeof leastRoles;

const isPermission = (name: string): name is Permission => Object.hasOwn(leastRoles, name);

/** All permissions, in the order in which they are declared. */
export const permissions: readonly Permission[] = Object.keys(leastRoles).filter(isPermission);

/**
 * Those that roles may be given: all that are not the owner's alone, without that to view channels, which channels alone
 * decide (contract §5).
 */
export const grantable: readonly Permission[] = permissions.filter(
  (name) => leastRoles[name] !== 'owner' && name !== 'channel:view',
);

/** What a channel may allow or deny apart from the server, each as the permissions that it stands for (contract §5). */
export const channelRights = {
  view: ['channel:view'],
  post: ['message:post', 'channel:announce'],
  react: ['message:react'],
  thread: ['thread:start'],
  attach: ['file:attach'],
  mentionAll: ['message:mention-all'],
  manage: [
    'channel:update',
    'channel:archive',
    'channel:add-member',
    'channel:remove-member',
    'message:pin',
    'message:delete-others',
    'thread:manage',
  ],
} as const satisfies Record<string, readonly Permission[]>;

export type ChannelRight = keyof typeof channelRights;

/** Their names, in the order in which they are declared. */
export const rightNames = [
  'view',
  'post',
  'react',
  'thread',
  'attach',
  'mentionAll',
  'manage',
] as const satisfies ChannelRight[];

/** The fixed roles that a channel may override; `member` stands for everyone. */
export const overridableRoles = ['member', 'moderator'] as const;

/** What a channel shows its readers of what they may do in it. */
export const shownInChannel = [
  ...channelRights.post,
  ...channelRights.react,
  ...channelRights.thread,
  ...channelRights.attach,
  ...channelRights.mentionAll,
  ...channelRights.manage,
  'channel:override',
  'channel:delete',
  'message:skip-slow-mode',
] as const;

/** What someone may do in a server, or in a channel of it. Computed in `access/` alone. */
export interface Rights extends Rank {
  /** The server holds back what is more than a member's until they have a second factor. */
  readonly isHeldBack: boolean;
  /** Ids of the server's own roles that they have. */
  readonly roleIds: readonly string[];
  readonly permissions: ReadonlySet<Permission>;
  /** They are timed out: they have only the permissions to see something. */
  readonly timeout: Timeout | null;
  /** What they may do in the server once the timeout is over; null without one. */
  readonly untimed: Rights | null;
}

/** Someone expresses nothing in a server until then. */
export interface Timeout {
  /** In ms since 1970. */
  readonly until: number;
  readonly reason: string | null;
}

/** Whether someone with these rights can have a permission now: a timeout leaves only what lets them see. */
export function isLeftBy(timeout: Timeout | null, permission: Permission): boolean {
  return timeout === null || isKeptInTimeout(permission);
}

/** What someone may do while they are timed out. */
export function withTimeout(rights: Rights, timeout: Timeout): Rights {
  const permissions = new Set([...rights.permissions].filter((name) => isLeftBy(timeout, name)));
  return { ...rights, permissions, timeout, untimed: rights };
}

/** For all that someone does in a server but look on, leave, and take back what is theirs. @throws AppError TIMED_OUT */
export function requireNoTimeout(rights: Rights | null | undefined): void {
  if (!rights?.timeout) return;
  const { until, reason } = rights.timeout;
  throw new AppError('TIMED_OUT', { extra: { until: new Date(until).toISOString(), reason } });
}

/** What a fixed role may do where the server has decided nothing else. */
export function defaultPermissions(role: Role): readonly Permission[] {
  return permissions.filter((name) => heightOf(role) >= heightOf(leastRoles[name]));
}

/** Whether someone has a permission; nobody outside a server (null) has any. */
export function may(rights: Rights | null | undefined, permission: Permission): boolean {
  return rights?.permissions.has(permission) ?? false;
}

/**
 * @throws AppError ROLE_REQUIRED, naming the permission and the least fixed role that has it by itself; TIMED_OUT,
 *   SECOND_FACTOR_SETUP_REQUIRED
 */
export function requirePermission(rights: Rights | null | undefined, permission: Permission): void {
  if (may(rights, permission)) return;
  requireNoTimeout(rights);
  if (rights?.isHeldBack) throw heldBack();
  const least = leastRoles[permission];
  throw new AppError('ROLE_REQUIRED', {
    message: least === 'owner' ? 'Only the owner may do this.' : `This takes the permission "${permission}".`,
    extra: { requiredRole: least, requiredPermission: permission },
  });
}

/** The fixed roles that have a permission unless the server decides otherwise. */
export function rolesWith(permission: Permission): Role[] {
  return roles.filter((role) => defaultPermissions(role).includes(permission));
}

/** Whether one may act on the other: nobody acts on an equal or higher role (contract §5). */
export const outranks = (rights: Rights, other: Rank): boolean => !rights.isHeldBack && ranksAbove(rights, other);

/** @throws AppError ROLE_REQUIRED where one may not act on the other; SECOND_FACTOR_SETUP_REQUIRED */
export function requireToOutrank(rights: Rights | null, other: Rank): void {
  if (rights && outranks(rights, other)) return;
  if (rights?.isHeldBack) throw heldBack();
  throw new AppError('ROLE_REQUIRED', { message: 'Nobody acts on an equal or higher role.' });
}

const heldBack = () =>
  new AppError('SECOND_FACTOR_SETUP_REQUIRED', {
    message: 'This server lets only those use their role who have a second factor; set one up in your settings first.',
  });
