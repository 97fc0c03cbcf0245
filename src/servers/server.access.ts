import type { Actor } from '../access/actor.ts';
import type { Role } from '../access/roles.ts';
import { BatchedRead } from '../database/batched-read.ts';
import type { Database, Rows } from '../database/database.ts';
import type { Caches } from '../delivery/caches.ts';
import { AppError } from '../errors.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { isUuid } from '../schema.ts';

/** What access to a server depends on. */
export interface ServerInfo {
  id: string;
  isPublic: boolean;
  ownerId: string;
}

/** A user's membership in a server. */
export interface Seat {
  role: Role;
}

const info = 'SELECT id, is_public AS "isPublic", owner_id AS "ownerId" FROM servers';
const byId = `${info} WHERE id = $1`;
const bySlug = `${info} WHERE slug = $1`;

const seatCache = 'server-seats';
const seatKey = (serverId: string, userId: string) => `${serverId}:${userId}`;

/** The only way to access a server on behalf of someone. */
export class ServerAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly seats: Cache<Seat>;
  private readonly seatReads: BatchedRead<Seat>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.seats = caches.create(seatCache, 100_000);
    this.seatReads = new BatchedRead((keys) => readSeats(database.committedRows, keys));
  }

  /** A server by id or slug, without checking access. @throws AppError SERVER_NOT_FOUND */
  async find(idOrSlug: string): Promise<ServerInfo> {
    const [found] = await this.database.rows<ServerInfo>(isUuid(idOrSlug) ? byId : bySlug, [idOrSlug]);
    if (!found) throw new AppError('SERVER_NOT_FOUND');
    return found;
  }

  /** The actor's membership in a server; undefined if there is none. */
  seat(serverId: string, userId: string): Seat | undefined | Promise<Seat | undefined> {
    const key = seatKey(serverId, userId);
    return this.seats.get(key, () => this.seatReads.read(key));
  }

  /** The same if it is cached here. */
  knownSeat(serverId: string, userId: string): Seat | undefined {
    return this.seats.peek(seatKey(serverId, userId));
  }

  /** A server that the actor may see: public ones and its own. @throws AppError SERVER_NOT_FOUND */
  async visible(actor: Actor, idOrSlug: string): Promise<ServerInfo & { seat: Seat | undefined }> {
    const server = await this.find(idOrSlug);
    const seat = await this.seat(server.id, actor.userId);
    // Non-members of a private server must not learn that it exists (contract §2).
    if (!seat && !server.isPublic) throw new AppError('SERVER_NOT_FOUND');
    return { ...server, seat };
  }

  /** A server that the actor is a member of. @throws AppError SERVER_NOT_FOUND, NOT_A_MEMBER for a public one */
  async joined(actor: Actor, idOrSlug: string): Promise<ServerInfo & { seat: Seat }> {
    const server = await this.visible(actor, idOrSlug);
    if (!server.seat) throw new AppError('NOT_A_MEMBER');
    return { ...server, seat: server.seat };
  }

  /** Makes all nodes reread a user's membership in a server. */
  forget(serverId: string, userId: string): Promise<void> {
    return this.caches.forget(seatCache, [seatKey(serverId, userId)]);
  }

  forgetHere(serverId: string, userId: string): void {
    this.caches.dropHere(seatCache, [seatKey(serverId, userId)]);
  }
}

async function readSeats(rows: Rows, keys: string[]): Promise<Map<string, Seat>> {
  const found = await rows<{ key: string; role: Role | null }>(
    `SELECT key, (SELECT role FROM server_members
       WHERE server_id = split_part(key, ':', 1)::uuid AND user_id = split_part(key, ':', 2)::uuid) AS role
     FROM unnest($1::text[]) AS key`,
    [keys],
  );
  return new Map(found.flatMap(({ key, role }) => (role ? [[key, { role }]] : [])));
}
