import type { StatusChange } from '../../contract/presence.ts';
import type { Database } from '../../database/database.ts';
import { Cache } from '../../infrastructure/cache.ts';
import type { PresenceDirectory } from './directory.ts';
import { peopleAmong, peopleOf } from './presence.table.ts';

/** The size of a snapshot (contract §9). */
const shown = 500;
/** In channels with more people than this only those online are looked up. */
const smallChannel = 2000;
/** How long joins of the same channel are answered from one look-up. */
const keptMs = 2000;
const keptChannels = 1000;

/** People of a channel with their statuses. */
export interface ChannelPeople {
  members: readonly StatusChange[];
  /** `channel`: everyone else in the channel is offline. */
  covers: 'channel' | 'listed';
}

/** The people of a channel and their statuses at this revision of the directory. */
interface Snapshot {
  people: Set<string>;
  /** Not all people are in it: those who get online are looked up. */
  isLarge: boolean;
  shown: ChannelPeople;
  revision: number;
}

/** For a snapshot that was not looked up in the directory yet. */
const notYet = -1;

/** The people of channels with their statuses: the first thing that a client wants on joining. */
export class ChannelPresence {
  private readonly database: Database;
  private readonly directory: PresenceDirectory;
  private readonly snapshots = new Cache<Snapshot>({ max: keptChannels, trust: () => keptMs });

  constructor(database: Database, directory: PresenceDirectory) {
    this.database = database;
    this.directory = directory;
  }

  /** Up to 500 people of a channel, those online first: the same list as long as nothing has changed. */
  async of(channelId: string): Promise<ChannelPeople> {
    const snapshot = await this.snapshots.get(channelId, () => this.read(channelId));
    if (!snapshot) return { members: [], covers: 'listed' };
    const { revision } = this.directory;
    if (snapshot.revision !== revision) {
      if (snapshot.isLarge && snapshot.revision !== notYet) await this.addNewcomers(channelId, snapshot.people);
      snapshot.shown = this.shownOf([...snapshot.people]);
      snapshot.revision = revision;
    }
    return snapshot.shown;
  }

  private shownOf(people: string[]): ChannelPeople {
    const online = people.filter((userId) => this.directory.isOnline(userId));
    const present = online.slice(0, shown);
    const absent = people.filter((userId) => !this.directory.isOnline(userId)).slice(0, shown - present.length);
    const members = [...present, ...absent].map((userId) => ({ userId, status: this.directory.statusOf(userId) }));
    return { members, covers: online.length <= shown ? 'channel' : 'listed' };
  }

  private async read(channelId: string): Promise<Snapshot> {
    const unread = { shown: { members: [], covers: 'listed' as const }, revision: notYet };
    const people = await peopleOf(this.database.rows, channelId, smallChannel);
    if (people.length < smallChannel) return { ...unread, people: new Set(people), isLarge: false };
    // One more than is shown: whether there are more has to be known.
    const present = await peopleAmong(this.database.rows, channelId, [...this.directory.present()], shown + 1);
    return { ...unread, people: new Set([...present, ...people]), isLarge: true };
  }

  /** Those who got online since the people of a large channel were read. */
  private async addNewcomers(channelId: string, people: Set<string>): Promise<void> {
    const isNew = (userId: string) => this.directory.isOnline(userId) && !people.has(userId);
    const newcomers = this.directory.changedLately().filter(isNew);
    if (newcomers.length === 0) return;
    const found = await peopleAmong(this.database.rows, channelId, newcomers, newcomers.length);
    for (const userId of found) people.add(userId);
  }
}
