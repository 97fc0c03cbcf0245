import { barredServers } from '../../access/policy.table.ts';
import type { Actor } from '../../contract/actor.ts';
import { crowdRoom, serverRoom, userRoom, watchRoom } from '../../contract/rooms.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Database } from '../../database/database.ts';
import { directPartnersOf, friendsOf, meetingsOf, readPlaces } from './presence.table.ts';

/** Where a user's presence is shown. */
export interface Places {
  /** Ids of its servers. */
  servers: string[];
  /** Ids of the private channels of servers that it is in. */
  circles: string[];
  /** Rooms of individuals: its own, and those of its friends and DM partners. */
  people: Set<string>;
}

/** The audience of each user's presence (contract §9): those who share a server, a DM or a friendship. */
export class PresenceAudience {
  private readonly database: Database;
  private readonly acquaintances: BatchedRead<Set<string>>;

  constructor(database: Database) {
    this.database = database;
    this.acquaintances = new BatchedRead((userIds) => this.readAcquaintances(userIds));
  }

  /** The places of each user, whether anyone is there to see it or not. Three queries for all. */
  async placesOf(userIds: string[]): Promise<Map<string, Places>> {
    const places = new Map(userIds.map((userId) => [userId, noPlaces(userId)]));
    const [memberships, friendships, channels] = await Promise.all([
      readPlaces(this.database.rows, userIds),
      friendsOf(this.database.rows, userIds),
      directPartnersOf(this.database.rows, userIds),
    ]);
    for (const { userId, serverId, channelId } of memberships) {
      if (channelId === null) places.get(userId)?.servers.push(serverId);
      else places.get(userId)?.circles.push(channelId);
    }
    for (const { low, high } of [...friendships, ...channels]) {
      places.get(low)?.people.add(userRoom(high));
      places.get(high)?.people.add(userRoom(low));
    }
    return places;
  }

  /** The friends and DM partners of a user. */
  async acquaintancesOf(userId: string): Promise<ReadonlySet<string>> {
    return (await this.acquaintances.read(userId)) ?? new Set();
  }

  /**
   * Which of the others an actor may know about. A bot knows nobody from servers in which it sees no members (contract §4).
   * @param areListed whether snapshots may have listed them, so that the common servers of friends are needed, too
   * @returns for each of them their common servers; else none for friends and DM partners, who get it anyway
   */
  async knownTo({ userId, user }: Actor, others: string[], areListed: boolean): Promise<Map<string, string[]>> {
    const { rows } = this.database;
    const [meetings, acquaintances] = await Promise.all([
      meetingsOf(rows, userId, others),
      this.acquaintancesOf(userId),
    ]);
    const common = [...new Set(meetings.map(({ serverId }) => serverId))];
    const barred = user.isBot ? await barredServers(rows, userId, common) : new Set<string>();
    const told = new Set(others.filter((other) => acquaintances.has(other) || other === userId));
    const known = new Map([...told].map((other): [string, string[]] => [other, []]));
    for (const { userId: other, serverId } of meetings) {
      if (!barred.has(serverId) && (areListed || !told.has(other)))
        known.set(other, [...(known.get(other) ?? []), serverId]);
    }
    return known;
  }

  private async readAcquaintances(userIds: string[]): Promise<Map<string, Set<string>>> {
    const found = new Map(userIds.map((userId) => [userId, new Set<string>()]));
    const [friendships, channels] = await Promise.all([
      friendsOf(this.database.rows, userIds),
      directPartnersOf(this.database.rows, userIds),
    ]);
    for (const { low, high } of [...friendships, ...channels]) {
      found.get(low)?.add(high);
      found.get(high)?.add(low);
    }
    return found;
  }
}

const noPlaces = (userId: string): Places => ({ servers: [], circles: [], people: new Set([userRoom(userId)]) });

/** The rooms of sockets that follow a user whose servers these are. */
export const watchersOf = (userId: string, servers: string[]): string[] => servers.map((id) => watchRoom(id, userId));

/** The rooms of all who may know of a user. */
export function roomsIn(userId: string, { servers, people }: Places): string[] {
  return [...servers.flatMap((id) => [serverRoom(id), crowdRoom(id)]), ...people, ...watchersOf(userId, servers)];
}
