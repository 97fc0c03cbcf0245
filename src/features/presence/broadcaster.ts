import { presenceChange, type StatusChange } from '../../contract/presence.ts';
import { BatchedRead } from '../../database/batched-read.ts';
import type { Log } from '../../infrastructure/log.ts';
import { type Places, type PresenceAudience, roomsIn } from './audience.ts';
import type { PresenceDirectory } from './directory.ts';

/** The sockets of this node, as recipients of presence. */
export interface PresenceSink {
  hasSockets(room: string): boolean;
  /** To this node's sockets that are in any of the rooms and in none of `except`, once each. */
  emitHere(rooms: string[], event: string, data: object, except: string[]): void;
}

/** How many changes are looked up and emitted together. */
const maxTogether = 500;

/** Emits changes to this node's sockets, in batches a few times a second (contract §9). */
export class PresenceBroadcaster {
  private readonly directory: PresenceDirectory;
  private readonly audience: Pick<PresenceAudience, 'placesOf'>;
  private readonly log: Log;
  private readonly tellMs: number;
  private timer: NodeJS.Timeout | undefined;
  /** The rooms that get recent changes, by user. */
  private readonly lately: BatchedRead<Map<string, Places>>;
  private sink: PresenceSink = { hasSockets: () => false, emitHere: () => {} };
  private running = false;

  constructor(directory: PresenceDirectory, audience: Pick<PresenceAudience, 'placesOf'>, tellMs: number, log: Log) {
    this.directory = directory;
    this.audience = audience;
    this.log = log;
    this.tellMs = tellMs;
    this.lately = new BatchedRead(async ([all = '']) => {
      return new Map([[all, await audience.placesOf(directory.changedLately())]]);
    });
  }

  start(sink: PresenceSink): void {
    this.sink = sink;
    this.timer = setInterval(() => void this.emitPending(), this.tellMs);
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** The statuses that sockets in these rooms may have missed recently: presence is in no log. */
  async missed(rooms: ReadonlySet<string>): Promise<StatusChange[]> {
    if (this.directory.changedLately().length === 0) return [];
    const places = (await this.lately.read('all')) ?? new Map<string, Places>();
    const isTold = (of: Places) => roomsIn(of).some((room) => rooms.has(room));
    const userIds = [...places].filter(([, of]) => isTold(of)).map(([userId]) => userId);
    return userIds.map((userId) => ({ userId, status: this.directory.statusOf(userId) }));
  }

  private async emitPending(): Promise<void> {
    if (this.running || !this.directory.hasPending) return;
    this.running = true;
    const changes = this.directory.takePending(maxTogether);
    try {
      if (changes.length > 0) await this.emitChanges(changes);
    } catch (error) {
      this.log.debug({ err: error }, 'Presence changes could not be sent; trying again.');
      this.directory.putBack(changes);
    } finally {
      this.running = false;
    }
  }

  private async emitChanges(changes: StatusChange[]): Promise<void> {
    const places = await this.audience.placesOf(changes.map(({ userId }) => userId));
    const groups = new Map<string, Group>();
    for (const { userId, status } of changes) {
      const of = places.get(userId);
      if (of) this.group({ userId, status }, of, groups);
    }
    for (const { rooms, except, changes } of groups.values()) {
      this.sink.emitHere(rooms, presenceChange.name, dataOf(changes), except);
    }
  }

  /** Adds a change to the groups of rooms that get it: a socket that is in several of its rooms gets it once. */
  private group(change: StatusChange, { servers, people, watchers }: Places, groups: Map<string, Group>): void {
    const hasSockets = (room: string) => this.sink.hasSockets(room);
    const common = servers.filter(hasSockets).sort();
    const personal = [...people].filter(hasSockets);
    const asked = watchers.filter(hasSockets);
    if (common.length > 0) add(groups, common, [], change);
    for (const room of personal) add(groups, [room], common, change);
    if (asked.length > 0) add(groups, asked, [...common, ...personal], change);
  }
}

/** Changes for the same rooms: they go out in one event, built once for all its sockets. */
interface Group {
  rooms: string[];
  /** Rooms that get it in another group. */
  except: string[];
  changes: StatusChange[];
}

function add(groups: Map<string, Group>, rooms: string[], except: string[], change: StatusChange): void {
  const key = `${rooms} ${except}`;
  const group = groups.get(key) ?? { rooms, except, changes: [] };
  groups.set(key, group);
  group.changes.push(change);
}

/** A single change is also sent in the plain form. */
export function dataOf(changes: StatusChange[]): object {
  const [first, ...others] = changes;
  return first && others.length === 0 ? { ...first, changes } : { changes };
}
