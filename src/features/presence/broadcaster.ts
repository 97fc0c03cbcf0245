import { presenceChange, type StatusChange } from '../../contract/presence.ts';
import { circleRoom, serverRoom } from '../../contract/rooms.ts';
import type { Log } from '../../infrastructure/log.ts';
import { type Places, type PresenceAudience, watchersOf } from './audience.ts';
import type { PresenceDirectory } from './directory.ts';

/** The sockets of this node, as recipients of presence. */
export interface PresenceSink {
  hasSockets(room: string): boolean;
  /** To this node's sockets that are in any of the rooms and in none of `except`, once each. */
  emitHere(rooms: string[], event: string, data: object, except: string[]): Promise<void>;
}

/** Counts who is there; it learns of each change once its places are known. */
interface Counter {
  note(userId: string, servers: string[], isOnline: boolean): void;
}

/** How many changes are looked up and emitted together. */
const maxTogether = 500;

/**
 * Emits changes to this node's sockets, in batches a few times a second (contract §9). What a change costs depends on who
 * gets it: the sockets of small places that share it, and those that follow this user.
 */
export class PresenceBroadcaster {
  private readonly directory: PresenceDirectory;
  private readonly audience: Pick<PresenceAudience, 'placesOf'>;
  private readonly counter: Counter;
  private readonly log: Log;
  private readonly tellMs: number;
  private timer: NodeJS.Timeout | undefined;
  private sink: PresenceSink = { hasSockets: () => false, emitHere: async () => {} };
  private running = false;

  constructor(
    directory: PresenceDirectory,
    audience: Pick<PresenceAudience, 'placesOf'>,
    counter: Counter,
    tellMs: number,
    log: Log,
  ) {
    this.directory = directory;
    this.audience = audience;
    this.counter = counter;
    this.log = log;
    this.tellMs = tellMs;
  }

  start(sink: PresenceSink): void {
    this.sink = sink;
    this.timer = setInterval(() => void this.emitPending(), this.tellMs);
  }

  close(): void {
    clearInterval(this.timer);
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
      if (!of) continue;
      this.counter.note(userId, of.servers, status !== 'offline');
      this.group({ userId, status }, of, groups);
    }
    for (const { rooms, except, changes } of groups.values()) {
      await this.sink.emitHere(rooms, presenceChange.name, dataOf(changes), except);
    }
  }

  /** Adds a change to the groups of rooms that get it: a socket that is in several of its rooms gets it once. */
  private group(change: StatusChange, { servers, circles, people }: Places, groups: Map<string, Group>): void {
    const hasSockets = (room: string) => this.sink.hasSockets(room);
    const shared = servers.map(serverRoom).filter(hasSockets).sort();
    const circled = circles.map(circleRoom).filter(hasSockets).sort();
    const common = [...shared, ...circled];
    const personal = [...people].filter(hasSockets);
    const asked = watchersOf(change.userId, servers).filter(hasSockets);
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
