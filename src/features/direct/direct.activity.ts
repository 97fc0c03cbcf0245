import { byRoom, type LogEntry } from '../../cluster/entry.ts';
import { streamId } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import type { DirectJob, NotificationQueue } from '../../jobs/notification.jobs.ts';
import { beyondFollowed, queueReturns, readSides, touchDms } from './direct.activity.table.ts';
import type { DirectService } from './direct.service.ts';

/** The facts about a DM that matter for who is in its room. */
export interface DmUse {
  channel_id: string;
  seq: number;
  created_at: Date | string;
}

/** A person whose sockets may not be in a DM's room, and the position from which on they need its events. */
export interface Returning {
  userId: string;
  channelId: string;
  since: number;
}

/** Events in a DM besides new messages. */
const inMessages = /^(message|reaction|thread):/;

interface Deps {
  direct: DirectService;
  queue: NotificationQueue;
  followed: number;
}

/** Records which DMs were used last, and puts people's sockets back into those that were idle for long. */
export class DirectActivity {
  private readonly deps: Deps;

  /** @param parts.followed how many of a user's last used DMs its sockets enter on connect */
  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Called with any change: events in DMs that somebody's sockets do not follow queue their return (see `missing`). */
  async note(change: Change, entries: LogEntry[]): Promise<void> {
    const told = byRoom(entries.filter(({ room, event }) => room.startsWith('channel:') && inMessages.test(event)));
    if (told.size === 0) return;
    const noted = [...told].map(([room, [first]]) => ({ id: streamId(room), since: (first?.seq ?? 1) - 1 }));
    let isNoted = false;
    change.afterCommit(() => {
      if (isNoted) this.deps.queue.wake();
    });
    isNoted = await queueReturns(change.rows, noted, this.deps.followed);
  }

  /**
   * @param jobs of other events: these are no use, and the last use of those DMs stays as it is
   * @returns those whose sockets were not put into these DMs, since they used so many others after them
   */
  async touch(rows: Rows, uses: DmUse[], jobs: DirectJob[]): Promise<Returning[]> {
    const sides = new Map<string, Returning>();
    for (const side of [...(await this.missing(rows, jobs)), ...(await this.use(rows, uses))]) {
      const key = `${side.userId} ${side.channelId}`;
      sides.set(key, { ...side, since: Math.min(side.since, sides.get(key)?.since ?? side.since) });
    }
    return [...sides.values()];
  }

  announce(change: Change, userId: string, channelId: string, since: number): Promise<void> {
    return this.deps.direct.announce(change, userId, channelId, since);
  }

  private async use(rows: Rows, uses: DmUse[]): Promise<Returning[]> {
    if (uses.length === 0) return [];
    const first = new Map<string, number>();
    for (const { channel_id: id, seq } of uses) first.set(id, Math.min(seq, first.get(id) ?? seq));
    const touched = await touchDms(rows, uses);
    const sides = touched.map(({ channel_id: channelId, user_id: userId, before }) => {
      return { userId, channelId, before, since: (first.get(channelId) ?? 1) - 1 };
    });
    return beyondFollowed(rows, sides, this.deps.followed);
  }

  private async missing(rows: Rows, jobs: DirectJob[]): Promise<Returning[]> {
    return jobs.length === 0 ? [] : beyondFollowed(rows, await readSides(rows, jobs), this.deps.followed);
  }
}
