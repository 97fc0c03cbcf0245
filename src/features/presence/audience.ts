import { serverRoom, userRoom, watchRoom } from '../../contract/rooms.ts';
import type { Database } from '../../database/database.ts';
import { directPartnersOf, friendsOf, meetingsOf, membershipsOf } from './presence.table.ts';

/** The rooms that get a user's presence. */
export interface Places {
  /** The rooms of its servers, shared with many. */
  servers: string[];
  /** Rooms of individuals: its own, and those of its friends and DM partners. */
  people: Set<string>;
  /** Rooms of those who subscribed to it, one for each of its servers. */
  watchers: string[];
}

/** The audience of each user's presence (contract §9): those who share a server, a DM or a friendship. */
export class PresenceAudience {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  /** The rooms that get the presence of each user, whether anyone is in them or not. Three queries for all. */
  async placesOf(userIds: string[]): Promise<Map<string, Places>> {
    const places = new Map(userIds.map((userId) => [userId, noPlaces(userId)]));
    const [memberships, friendships, channels] = await Promise.all([
      membershipsOf(this.database.rows, userIds),
      friendsOf(this.database.rows, userIds),
      directPartnersOf(this.database.rows, userIds),
    ]);
    for (const { userId, serverId } of memberships) {
      places.get(userId)?.servers.push(serverRoom(serverId));
      places.get(userId)?.watchers.push(watchRoom(serverId, userId));
    }
    for (const { low, high } of [...friendships, ...channels]) {
      places.get(low)?.people.add(userRoom(high));
      places.get(high)?.people.add(userRoom(low));
    }
    return places;
  }

  /**
   * Which of the others a user may know about.
   * @returns for each of them their common servers; none for friends and DM partners, who get it anyway
   */
  async knownTo(userId: string, others: string[]): Promise<Map<string, string[]>> {
    const known = new Map<string, string[]>();
    const [meetings, friendships, channels] = await Promise.all([
      meetingsOf(this.database.rows, userId, others),
      friendsOf(this.database.rows, [userId]),
      directPartnersOf(this.database.rows, [userId]),
    ]);
    const asked = new Set(others);
    for (const { low, high } of [...friendships, ...channels]) {
      const other = low === userId ? high : low;
      if (asked.has(other)) known.set(other, []);
    }
    if (asked.has(userId)) known.set(userId, []);
    const told = new Set(known.keys());
    for (const { userId: other, serverId } of meetings) {
      if (!told.has(other)) known.set(other, [...(known.get(other) ?? []), serverId]);
    }
    return known;
  }
}

const noPlaces = (userId: string): Places => ({ servers: [], people: new Set([userRoom(userId)]), watchers: [] });

/** All of them. */
export const roomsIn = ({ servers, people, watchers }: Places): string[] => [...servers, ...people, ...watchers];
