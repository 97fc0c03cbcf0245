import { mostInSmall, type Status, type StatusChange } from '../../contract/presence.ts';
import type { Database } from '../../database/database.ts';
import { Cache } from '../../infrastructure/cache.ts';
import type { PresenceDirectory } from './directory.ts';
import { peopleOf } from './presence.table.ts';

/** How long joins of the same channel are answered from one look-up. */
const keptMs = 2000;
const keptChannels = 1000;

/** People of a channel with their statuses. */
export interface ChannelPeople {
  members: readonly StatusChange[];
  /** `channel`: everyone else in the channel is offline. */
  covers: 'channel' | 'listed';
}

/** The people of a channel, and their statuses at this revision of the directory. */
interface Snapshot {
  people: readonly string[];
  statuses: readonly Status[];
  shown: ChannelPeople;
  revision: number;
}

/** The people of small places with their statuses: the first thing that a client wants on joining. */
export class ChannelPresence {
  private readonly database: Database;
  private readonly directory: PresenceDirectory;
  private readonly snapshots = new Cache<Snapshot>({ max: keptChannels, trust: () => keptMs });

  constructor(database: Database, directory: PresenceDirectory) {
    this.database = database;
    this.directory = directory;
  }

  /** The people of a channel, those online first: the same object as long as nobody of them has changed. */
  async of(channelId: string): Promise<ChannelPeople> {
    const snapshot = await this.read(channelId);
    const { revision } = this.directory;
    if (snapshot.revision !== revision) {
      const statuses = snapshot.people.map((userId) => this.directory.statusOf(userId));
      const isSame = statuses.every((status, i) => status === snapshot.statuses[i]);
      if (!isSame || snapshot.statuses.length === 0) snapshot.shown = shownOf(snapshot.people, statuses);
      snapshot.statuses = statuses;
      snapshot.revision = revision;
    }
    return snapshot.shown;
  }

  /** The ids of a channel's people; null: there are too many for a small one. */
  async peopleIn(channelId: string): Promise<readonly string[] | null> {
    const { people } = await this.read(channelId);
    return people.length > mostInSmall ? null : people;
  }

  private async read(channelId: string): Promise<Snapshot> {
    return (await this.snapshots.get(channelId, () => this.lookUp(channelId))) ?? noSnapshot();
  }

  private async lookUp(channelId: string): Promise<Snapshot> {
    // One more than are shown: whether there are more has to be known.
    return { ...noSnapshot(), people: await peopleOf(this.database.rows, channelId, mostInSmall + 1) };
  }
}

/** A revision that the directory never has. */
const notYet = -1;

const noSnapshot = (): Snapshot => ({
  people: [],
  statuses: [],
  shown: { members: [], covers: 'listed' },
  revision: notYet,
});

/** Up to 500 of them. A server may have become large since its size was looked up: then it does not list everyone. */
function shownOf(people: readonly string[], statuses: readonly Status[]): ChannelPeople {
  const all = people.map((userId, i) => ({ userId, status: statuses[i] ?? 'offline' }));
  const isAbsent = ({ status }: StatusChange) => status === 'offline';
  const members = [...all.filter((one) => !isAbsent(one)), ...all.filter(isAbsent)].slice(0, mostInSmall);
  return { members, covers: people.length > mostInSmall ? 'listed' : 'channel' };
}
