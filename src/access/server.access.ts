import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { type ActingRole, outranks } from '../contract/roles.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { readMemberships, readServer } from './server.table.ts';

/** What access to a server depends on. */
export interface ServerInfo {
  id: string;
  isPublic: boolean;
  ownerId: string;
}

/** A user's membership in a server. */
export interface ServerMembership {
  role: ActingRole;
  /** Of a bot: it may write in the workspace. */
  workspaceWrite: boolean;
}

/** The name in released versions: their nodes, and triggers in the database, drop values by it. */
const membershipCache = 'server-seats';
const membershipKey = (serverId: string, userId: string) => `${serverId}:${userId}`;

/** The only way to access a server on behalf of someone. */
export class ServerAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly memberships: Cache<ServerMembership>;
  private readonly membershipReads: BatchedRead<ServerMembership>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.membershipReads = new BatchedRead((keys) => readMemberships(database.committedRows, keys));
    const load = (key: string) => this.membershipReads.read(key);
    const lessened = (before: ServerMembership, now: ServerMembership) =>
      outranks(before.role, now.role) || (before.workspaceWrite && !now.workspaceWrite);
    this.memberships = caches.create(membershipCache, 100_000, { facts: { load, lessened } });
  }

  /** A server by id or slug, without checking access. @throws AppError SERVER_NOT_FOUND */
  async find(idOrSlug: string): Promise<ServerInfo> {
    const found = await readServer(this.database.rows, idOrSlug);
    if (!found) throw new AppError('SERVER_NOT_FOUND');
    return found;
  }

  /** A user's membership in a server; undefined if there is none. */
  membership(serverId: string, userId: string): ServerMembership | undefined | Promise<ServerMembership | undefined> {
    const key = membershipKey(serverId, userId);
    return this.memberships.get(key, () => this.membershipReads.read(key));
  }

  /** The same if it is cached here. */
  knownMembership(serverId: string, userId: string): ServerMembership | undefined {
    return this.memberships.peek(membershipKey(serverId, userId));
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

  forgetHere(serverId: string, userId: string): void {
    this.caches.dropHere(membershipCache, [membershipKey(serverId, userId)]);
  }
}
