import {
  type BuiltInRole,
  type ChannelRight,
  channelRights,
  defaultPermissions,
  isLeftBy,
  type Permission,
  permissions,
  type Rights,
  type Role,
} from '../contract/roles.ts';

/** A role of a server's own, or a fixed one that the server has changed. */
interface RoleFacts {
  id: string;
  builtIn: BuiltInRole | null;
  position: number;
  permissions: Permission[];
}

/** Those of a server. */
export interface ServerRoles {
  roles: RoleFacts[];
}

/** What the rights of someone in a server are computed of, beside their fixed role. */
export interface Standing extends Omit<MemberFacts, 'role'> {
  roles: RoleFacts[];
}

/** What a person's membership says about their rights. */
export interface MemberFacts {
  role: Role;
  /** Ids of the server's own roles. */
  roleIds: string[];
  /** The server holds back what is more than a member's until they have a second factor. */
  isHeldBack: boolean;
}

/** What a channel allows or denies one subject apart from the server. */
export interface Override {
  builtIn: BuiltInRole | null;
  roleId: string | null;
  userId: string | null;
  allow: ChannelRight[];
  deny: ChannelRight[];
}

/** Those of a channel. */
export interface Overridden {
  overrides: readonly Override[];
}

const ofServers = new WeakMap<ServerRoles, Map<string, Rights>>();

/**
 * What a member may do in a server: what their fixed role gives there, and each of their own roles (contract §5). The same
 * object for all members with the same roles.
 */
export function rightsIn(server: ServerRoles, member: MemberFacts): Rights {
  const known = ofServers.get(server) ?? new Map<string, Rights>();
  ofServers.set(server, known);
  const key = [member.role, member.isHeldBack, ...member.roleIds].join(' ');
  const rights = known.get(key) ?? compute(server, member);
  known.set(key, rights);
  return rights;
}

function compute({ roles }: ServerRoles, { role, roleIds, isHeldBack }: MemberFacts): Rights {
  const own = roles.filter(({ id }) => roleIds.includes(id));
  const place = Math.max(0, ...own.map(({ position }) => position));
  const all = [...fixed(roles, isHeldBack ? 'member' : role), ...own.flatMap(({ permissions }) => permissions)];
  // Held back is what members do not have by themselves.
  const members = new Set(defaultPermissions('member'));
  const given = new Set(isHeldBack ? all.filter((name) => members.has(name)) : all);
  // Whom a channel is open to, channels decide alone.
  given.add('channel:view');
  return {
    role,
    isHeldBack,
    place,
    roleIds: own.map(({ id }) => id),
    permissions: given,
    timeout: null,
    untimed: null,
  };
}

/** What a fixed role may do in a server. Nothing can be taken from the owner and admins. */
function fixed(roles: RoleFacts[], role: Role): readonly Permission[] {
  const isFixed = role === 'owner' || role === 'admin';
  const changed = isFixed ? undefined : roles.find(({ builtIn }) => builtIn === role);
  return changed?.permissions ?? defaultPermissions(role);
}

/** What the record of a server says that someone may do there, of what was read with it. */
export function permissionsIn(role: Role, { roles, ...member }: Standing): Permission[] {
  return permissionsOf(rightsIn({ roles }, { role, ...member }));
}

/** The permissions of a member in a server, in the order in which they are declared. A timeout is said apart (contract §5). */
export function permissionsOf(rights: Rights): Permission[] {
  const { permissions: held } = rights.untimed ?? rights;
  return permissions.filter((name) => held.has(name));
}

const ofChannels = new WeakMap<Overridden, WeakMap<Rights, Rights>>();

/**
 * What a member may do in a channel: their rights in the server, changed by the channel's override for everyone (`member`),
 * then by those of their other roles, of which an allowance beats a denial, then by their own. The owner and admins are
 * above all overrides (contract §5).
 */
export function rightsInChannel(rights: Rights, channel: Overridden, userId: string): Rights {
  if (channel.overrides.length === 0 || (isAbove(rights) && !rights.isHeldBack)) return rights;
  const own = channel.overrides.find((override) => override.userId === userId);
  if (own) return overridden(rights, [...forRoles(rights, channel), [own]]);
  const known = ofChannels.get(channel) ?? new WeakMap<Rights, Rights>();
  ofChannels.set(channel, known);
  const found = known.get(rights) ?? overridden(rights, forRoles(rights, channel));
  known.set(rights, found);
  return found;
}

/** The owner and admins, whom no override binds. */
export const isAbove = ({ role }: Rights) => role === 'owner' || role === 'admin';

/** The overrides of someone's roles, in the groups in which they count one after the other. */
function forRoles(rights: Rights, channel: Overridden): Override[][] {
  const everyone = channel.overrides.filter(({ builtIn }) => builtIn === 'member');
  return [everyone, overridesOfRoles(rights, channel)];
}

/** The overrides of the roles that someone has beside that of everyone. Held back is what these allow, not what they deny. */
export function overridesOfRoles({ role, roleIds, isHeldBack }: Rights, { overrides }: Overridden): Override[] {
  const found = overrides.filter(
    ({ builtIn, roleId }) =>
      (builtIn === 'moderator' && role === 'moderator' && !isHeldBack) || (roleId !== null && roleIds.includes(roleId)),
  );
  return isHeldBack ? found.map((override) => ({ ...override, allow: [] })) : found;
}

function overridden(rights: Rights, groups: Override[][]): Rights {
  const given = new Set(rights.permissions);
  const members = new Set(defaultPermissions('member'));
  for (const group of groups) {
    for (const name of group.flatMap(({ deny }) => deny.flatMap(meant))) given.delete(name);
    for (const name of group.flatMap(({ allow }) => allow.flatMap(meant))) {
      const isHeldBack = rights.isHeldBack && !members.has(name);
      if (!isHeldBack && isLeftBy(rights.timeout, name)) given.add(name);
    }
  }
  return { ...rights, permissions: given };
}

/** Who views a channel is decided apart, with who was let in (see `isInChannel`). */
const meant = (right: ChannelRight): readonly Permission[] => (right === 'view' ? [] : channelRights[right]);
