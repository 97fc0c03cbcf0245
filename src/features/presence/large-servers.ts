import { mostInSmall } from '../../contract/presence.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Database } from '../../database/database.ts';
import { Cache } from '../../infrastructure/cache.ts';
import type { PresenceDirectory } from './directory.ts';
import { acquaintancesIn, recentAuthorsOf, sizesOf } from './presence.table.ts';

/** How long a look-up is used: a server seldom becomes large, and a connection keeps what it began with. */
const keptMs = 5000;
const keptServers = 20_000;
const keptChannels = 5000;
/** How many friends and DM partners are listed to who comes into a large server. */
const maxAcquaintances = 100;
/** How many of those who wrote last are listed with a channel. */
const maxRecentAuthors = 10;

/** Which servers are large, and who of them matters to someone (contract §9). */
export class LargeServers {
  private readonly directory: PresenceDirectory;
  private readonly sizes = new Cache<{ size: number }>({ max: keptServers, trust: () => keptMs });
  private readonly recentAuthors = new Cache<string[]>({ max: keptChannels, trust: () => keptMs });
  private readonly sizeReads: BatchedRead<{ size: number }>;
  private readonly recentReads: BatchedRead<string[]>;
  private readonly acquaintanceReads: BatchedRead<string[]>;

  constructor(database: Database, directory: PresenceDirectory) {
    this.directory = directory;
    this.sizeReads = new BatchedRead((ids) => sizesOf(database.rows, ids));
    this.recentReads = new BatchedRead((ids) => recentAuthorsOf(database.rows, ids));
    this.acquaintanceReads = new BatchedRead((keys) => acquaintancesIn(database.rows, keys));
  }

  /** Whether a server has more members than its connections are told of. */
  async isLarge(serverId: string): Promise<boolean> {
    const found = await this.sizes.get(serverId, () => this.sizeReads.read(serverId));
    return found !== undefined && found.size > mostInSmall;
  }

  /** The friends and lately used DM partners of someone who are members of a server, those online first. */
  async acquaintancesOf(userId: string, serverId: string): Promise<string[]> {
    const all = (await this.acquaintanceReads.read(`${serverId}:${userId}`)) ?? [];
    const isOnline = (id: string) => this.directory.isOnline(id);
    return [...all.filter(isOnline), ...all.filter((id) => !isOnline(id))].slice(0, maxAcquaintances);
  }

  /** The members who wrote last in a channel. */
  async recentAuthorsOf(channelId: string): Promise<readonly string[]> {
    const found = await this.recentAuthors.get(channelId, async () => {
      return (await this.recentReads.read(channelId))?.slice(0, maxRecentAuthors);
    });
    return found ?? [];
  }
}
