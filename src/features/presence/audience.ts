import { serverRoom, userRoom, watchRoom } from '../../contract/rooms.ts';
import type { Database } from '../../database/database.ts';

/** DMs beyond the last used ones do not count as acquaintance here. */
const maxDms = 500;

const servers = 'SELECT user_id, server_id FROM server_members WHERE user_id = ANY($1::uuid[])';
const friends = `SELECT low_id, high_id FROM friendships
  WHERE status = 'accepted' AND (low_id = ANY($1::uuid[]) OR high_id = ANY($1::uuid[]))`;
const dms = `SELECT dm.low_id, dm.high_id FROM unnest($1::uuid[]) AS someone (id) CROSS JOIN LATERAL (
    (SELECT low_id, high_id FROM dm_channels WHERE low_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
    UNION ALL
    (SELECT low_id, high_id FROM dm_channels WHERE high_id = someone.id ORDER BY last_active_at DESC LIMIT $2)
  ) AS dm`;
/** Servers that user $1 has in common with the users $2. */
const shared = `SELECT other.user_id, other.server_id FROM server_members own
  JOIN server_members other ON other.server_id = own.server_id
  WHERE own.user_id = $1 AND other.user_id = ANY($2::uuid[])`;

/** The rooms that get a user's presence. */
export interface Places {
  /** The rooms of its servers, shared with many. */
  servers: string[];
  /** Rooms of individuals: its own, and those of its friends and DM partners. */
  people: Set<string>;
  /** Rooms of those who subscribed to it, one for each of its servers. */
  watchers: string[];
}

interface PairRow {
  low_id: string;
  high_id: string;
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
      this.database.rows<{ user_id: string; server_id: string }>(servers, [userIds]),
      this.database.rows<PairRow>(friends, [userIds]),
      this.database.rows<PairRow>(dms, [userIds, maxDms]),
    ]);
    for (const { user_id: userId, server_id: serverId } of memberships) {
      places.get(userId)?.servers.push(serverRoom(serverId));
      places.get(userId)?.watchers.push(watchRoom(serverId, userId));
    }
    for (const { low_id: low, high_id: high } of [...friendships, ...channels]) {
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
      this.database.rows<{ user_id: string; server_id: string }>(shared, [userId, others]),
      this.database.rows<PairRow>(friends, [[userId]]),
      this.database.rows<PairRow>(dms, [[userId], maxDms]),
    ]);
    const asked = new Set(others);
    for (const { low_id: low, high_id: high } of [...friendships, ...channels]) {
      const other = low === userId ? high : low;
      if (asked.has(other)) known.set(other, []);
    }
    if (asked.has(userId)) known.set(userId, []);
    const told = new Set(known.keys());
    for (const { user_id: other, server_id: serverId } of meetings) {
      if (!told.has(other)) known.set(other, [...(known.get(other) ?? []), serverId]);
    }
    return known;
  }
}

const noPlaces = (userId: string): Places => ({ servers: [], people: new Set([userRoom(userId)]), watchers: [] });

/** All of them. */
export const roomsIn = ({ servers, people, watchers }: Places): string[] => [...servers, ...people, ...watchers];
