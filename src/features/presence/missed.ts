import { mostInSmall, type StatusChange } from '../../contract/presence.ts';
import { circleIn, serverIn, watchedIn } from '../../contract/rooms.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Database } from '../../database/database.ts';
import { Cache } from '../../infrastructure/cache.ts';
import type { PresenceAudience } from './audience.ts';
import type { ChannelPresence } from './channel-presence.ts';
import type { PresenceDirectory } from './directory.ts';
import { membersOfAll } from './presence.table.ts';

/** How long recovered clients of the same server are answered from one look-up. */
const keptMs = 2000;
const keptServers = 1000;
/** More than a small server has, in case it is growing. */
const maxMembers = 2 * mostInSmall;

interface Deps {
  database: Database;
  directory: PresenceDirectory;
  audience: PresenceAudience;
  channelPresence: ChannelPresence;
}

/** What clients that were cut off briefly may have missed: presence is in no log (contract §9). */
export class MissedPresence {
  private readonly deps: Deps;
  private readonly members = new Cache<string[]>({ max: keptServers, trust: () => keptMs });
  private readonly reads: BatchedRead<string[]>;

  constructor(deps: Deps) {
    this.deps = deps;
    this.reads = new BatchedRead((ids) => membersOfAll(deps.database.rows, ids, maxMembers));
  }

  /**
   * The statuses, changed lately, of those whom a socket follows: one by one, or with everyone of a small place. What it
   * costs depends on how many these are, however many others have changed.
   * @param rooms those that the socket is in
   */
  async of(userId: string, rooms: ReadonlySet<string>): Promise<StatusChange[]> {
    const { directory } = this.deps;
    return directory.hasChangedLately ? directory.changedAmong(await this.followedBy(userId, rooms)) : [];
  }

  /** Those whom a socket in these rooms follows. */
  async followedBy(userId: string, rooms: ReadonlySet<string>): Promise<Set<string>> {
    const places = [...rooms].map((room) => this.peopleIn(room));
    const followed = await Promise.all([[userId], this.deps.audience.acquaintancesOf(userId), ...places]);
    return new Set(followed.flatMap((some) => [...some]));
  }

  private async peopleIn(room: string): Promise<Iterable<string>> {
    const watched = watchedIn(room);
    if (watched !== undefined) return [watched];
    const serverId = serverIn(room);
    if (serverId !== undefined) return (await this.members.get(serverId, () => this.reads.read(serverId))) ?? [];
    const channelId = circleIn(room);
    return (channelId !== undefined && (await this.deps.channelPresence.peopleIn(channelId))) || [];
  }
}
