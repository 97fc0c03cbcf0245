import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { type Rights, type Role, type Timeout, withTimeout } from '../contract/roles.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { Database, Rows } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { clock } from '../infrastructure/clock.ts';
import { readServerRoles } from './rights.table.ts';
import { type MemberFacts, rightsIn, type ServerRoles } from './rights.ts';
import { readMemberships, readServer } from './server.table.ts';

/** What access to a server depends on. */
export interface ServerInfo {
  id: string;
  isPublic: boolean;
  ownerId: string;
}

/** What is cached of a user's membership in a server. */
export interface MembershipFacts extends MemberFacts {
  /** Of a bot: it may write in the workspace. */
  workspaceWrite: boolean;
  /** Their timeout or that of the owner of a bot, in ms since 1970: it ends without anybody doing anything. */
  timedOutUntil: number | null;
  timeoutReason: string | null;
}

/** A membership as it was computed, of which roles, and whether it is that of someone who is timed out. */
interface Computed {
  of: ServerRoles;
  isTimedOut: boolean;
  membership: ServerMembership;
}

/** A user's membership in a server. */
export interface ServerMembership {
  role: Role;
  rights: Rights;
  /** Of a bot: it may write in the workspace. */
  workspaceWrite: boolean;
}

/** The name in released versions: their nodes, and triggers in the database, drop values by it. */
export const membershipCache = 'server-seats';
/** By server. */
const rolesCache = 'server-roles';
const membershipKey = (serverId: string, userId: string) => `${serverId}:${userId}`;

/** The only way to access a server on behalf of someone. */
export class ServerAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly memberships: Cache<MembershipFacts>;
  private readonly roles: Cache<ServerRoles>;
  private readonly membershipReads: BatchedRead<MembershipFacts>;
  private readonly roleReads: BatchedRead<ServerRoles>;
  /** Memberships as they were computed of cached facts, so that a warm look-up creates nothing. */
  private readonly computed = new WeakMap<MembershipFacts, Computed>();

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.membershipReads = new BatchedRead((keys) => readMemberships(database.committedRows, keys));
    this.roleReads = new BatchedRead((ids) => readServerRoles(database.committedRows, ids));
    this.memberships = caches.create(membershipCache, 100_000, {
      facts: { load: (key: string) => this.membershipReads.read(key), lessened: isLessTrusted },
    });
    this.roles = caches.create(rolesCache, 20_000, {
      facts: { load: (id: string) => this.roleReads.read(id), lessened: isLessGenerous },
    });
  }

  /** A server by id or slug, without checking access. @throws AppError SERVER_NOT_FOUND */
  async find(idOrSlug: string): Promise<ServerInfo> {
    const found = await readServer(this.database.rows, idOrSlug);
    if (!found) throw new AppError('SERVER_NOT_FOUND');
    return found;
  }

  /** A user's membership in a server; undefined if there is none. */
  membership(serverId: string, userId: string): ServerMembership | undefined | Promise<ServerMembership | undefined> {
    return this.knownMembership(serverId, userId) ?? this.lookUp(serverId, userId);
  }

  /** The same if it is cached here. */
  knownMembership(serverId: string, userId: string): ServerMembership | undefined {
    const facts = this.memberships.peek(membershipKey(serverId, userId));
    const roles = facts && this.roles.peek(serverId);
    return roles && this.compute(roles, facts);
  }

  private async lookUp(serverId: string, userId: string): Promise<ServerMembership | undefined> {
    const key = membershipKey(serverId, userId);
    // Concurrently: each that is not cached is a round trip to the database.
    const [facts, roles] = await Promise.all([
      this.memberships.get(key, () => this.membershipReads.read(key)),
      this.roles.get(serverId, () => this.roleReads.read(serverId)),
    ]);
    return facts && roles && this.compute(roles, facts);
  }

  private compute(roles: ServerRoles, facts: MembershipFacts): ServerMembership {
    const known = this.computed.get(facts);
    const timeout = timeoutOf(facts);
    const isTimedOut = timeout !== null;
    if (known?.of === roles && known.isTimedOut === isTimedOut) return known.membership;
    const { role, workspaceWrite } = facts;
    const rights = rightsIn(roles, facts);
    const membership = { role, workspaceWrite, rights: timeout ? withTimeout(rights, timeout) : rights };
    this.computed.set(facts, { of: roles, isTimedOut, membership });
    return membership;
  }

  /** A server that the actor may see: public ones and its own. @throws AppError SERVER_NOT_FOUND */
  async visible(actor: Actor, idOrSlug: string): Promise<ServerInfo & { membership: ServerMembership | undefined }> {
    const server = await this.find(idOrSlug);
    const membership = await this.membership(server.id, actor.userId);
    // Non-members of a private server must not learn that it exists (contract §2).
    if (!membership && !server.isPublic) throw new AppError('SERVER_NOT_FOUND');
    return { ...server, membership };
  }

  /** A server that the actor is a member of. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER for a public one */
  async joined(actor: Actor, idOrSlug: string): Promise<ServerInfo & { membership: ServerMembership }> {
    const server = await this.visible(actor, idOrSlug);
    if (!server.membership) throw new AppError('NOT_A_MEMBER');
    return { ...server, membership: server.membership };
  }

  /** Makes all nodes reread a user's membership in a server. */
  forget(serverId: string, userId: string): Promise<void> {
    return this.forgetAll([{ serverId, userId }]);
  }

  /** The same for many. */
  forgetAll(members: { serverId: string; userId: string }[]): Promise<void> {
    const keys = members.map(({ serverId, userId }) => membershipKey(serverId, userId));
    return this.caches.forget(membershipCache, keys);
  }

  /** Makes all nodes reread the roles of a server. */
  forgetRoles(serverId: string): Promise<void> {
    return this.caches.forget(rolesCache, [serverId]);
  }

  forgetHere(serverId: string, userId: string): void {
    this.caches.dropHere(membershipCache, [membershipKey(serverId, userId)]);
  }
}

/** What these members may do in a server as of this transaction, by user; others are not in it. */
export async function rightsNow(rows: Rows, serverId: string, userIds: string[]): Promise<Map<string, Rights>> {
  const keys = userIds.map((userId) => membershipKey(serverId, userId));
  const [members, roles] = await Promise.all([readMemberships(rows, keys), readServerRoles(rows, [serverId])]);
  const server = roles.get(serverId) ?? { roles: [] };
  const facts = (userId: string) => members.get(membershipKey(serverId, userId));
  return new Map(
    userIds.flatMap((userId) => {
      const found = facts(userId);
      return found ? [[userId, rightsIn(server, found)] as const] : [];
    }),
  );
}

/** The timeout that holds someone at this moment. */
function timeoutOf({ timedOutUntil: until, timeoutReason: reason }: MembershipFacts): Timeout | null {
  return until !== null && until > clock.now() ? { until, reason } : null;
}

/** Whether a member may do less than before, or less of it in some channel: own roles may be denied something there. */
function isLessTrusted(before: MembershipFacts, now: MembershipFacts): boolean {
  const hasOtherRoles = before.role !== now.role || before.roleIds.join() !== now.roleIds.join();
  const isTimedOut = timeoutOf(now) !== null && timeoutOf(before) === null;
  return (
    hasOtherRoles ||
    isTimedOut ||
    (now.isHeldBack && !before.isHeldBack) ||
    (before.workspaceWrite && !now.workspaceWrite)
  );
}

/** Whether a role of the server gives less than before. */
function isLessGenerous(before: ServerRoles, now: ServerRoles): boolean {
  return before.roles.some((role) => {
    const same = now.roles.find(({ id }) => id === role.id);
    return !same || same.position < role.position || role.permissions.some((name) => !same.permissions.includes(name));
  });
}
