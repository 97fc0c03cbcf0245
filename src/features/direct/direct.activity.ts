import { byRoom, type LogEntry } from '../../cluster/entry.ts';
import { streamId } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { DirectJob, NotificationQueue } from '../../jobs/notification.jobs.ts';
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

interface Touched {
  channel_id: string;
  low_id: string;
  high_id: string;
  before: Date | string;
}

/** Events in a DM besides new messages. */
const inMessages = /^(message|reaction|thread):/;

/** Whether a person has used as many other DMs since some time as are followed; the walks along indexes are bounded. */
const isBeyond = (
  user: string,
  channel: string,
  since: string,
  followed: string,
) => `${followed} <= (SELECT count(*) FROM (
    (SELECT channel_id FROM dm_channels WHERE low_id = ${user} AND last_active_at > ${since} LIMIT ${followed} + 1)
    UNION ALL
    (SELECT channel_id FROM dm_channels WHERE high_id = ${user} AND last_active_at > ${since} LIMIT ${followed} + 1)
  ) AS newer WHERE channel_id <> ${channel})`;
const noteUnfollowed = `INSERT INTO notification_jobs (id, data)
  SELECT noted.job, json_build_object('job', 'dm', 'channelId', noted.id, 'since', noted.since)
  FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS noted (job, id, since) JOIN dm_channels d ON d.channel_id = noted.id
  WHERE ${isBeyond('d.low_id', 'd.channel_id', 'd.last_active_at', '$4::int')}
    OR ${isBeyond('d.high_id', 'd.channel_id', 'd.last_active_at', '$4::int')} RETURNING id`;

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
    const values = [noted.map(() => newId()), noted.map(({ id }) => id), noted.map(({ since }) => since)];
    isNoted = (await change.rows(noteUnfollowed, [...values, this.deps.followed])).length > 0;
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
    // Locked in a fixed order first, so that nodes that touch the same DMs do not deadlock.
    const touched = await rows<Touched>(
      `WITH used AS (
         SELECT id, max(at) AS at FROM unnest($1::uuid[], $2::timestamptz[]) AS use (id, at) GROUP BY id
       ), locked AS (
         SELECT channel_id, last_active_at FROM dm_channels
         WHERE channel_id IN (SELECT id FROM used) ORDER BY channel_id FOR UPDATE
       )
       UPDATE dm_channels d SET last_active_at = greatest(d.last_active_at, used.at) FROM used, locked
       WHERE d.channel_id = used.id AND locked.channel_id = used.id
       RETURNING d.channel_id, d.low_id, d.high_id, locked.last_active_at AS before`,
      [uses.map((use) => use.channel_id), uses.map((use) => use.created_at)],
    );
    const sides = touched.flatMap(({ channel_id: channelId, low_id, high_id, before }) =>
      [low_id, high_id].map((userId) => ({ userId, channelId, before, since: (first.get(channelId) ?? 1) - 1 })),
    );
    const places = await this.beyond(rows, sides);
    return sides.filter((_, index) => places.has(index));
  }

  private async missing(rows: Rows, jobs: DirectJob[]): Promise<Returning[]> {
    if (jobs.length === 0) return [];
    const sides = await rows<Returning & { before: Date | string }>(
      `SELECT side.id AS "userId", d.channel_id AS "channelId", noted.since, d.last_active_at AS before
       FROM (SELECT id, min(seq) AS since FROM unnest($1::uuid[], $2::bigint[]) AS job (id, seq) GROUP BY id) AS noted
       JOIN dm_channels d ON d.channel_id = noted.id CROSS JOIN LATERAL (VALUES (d.low_id), (d.high_id)) AS side (id)`,
      [jobs.map(({ channelId }) => channelId), jobs.map(({ since }) => since)],
    );
    const places = await this.beyond(rows, sides);
    return sides.filter((_, index) => places.has(index));
  }

  /** The indexes of sides whose DM was not among the user's last used ones before. Walks along indexes are bounded. */
  private async beyond(rows: Rows, sides: (Returning & { before: Date | string })[]): Promise<Set<number>> {
    const found = await rows<{ place: number }>(
      `SELECT s.place::int FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) WITH ORDINALITY
         AS s (user_id, channel_id, before, place)
       WHERE ${isBeyond('s.user_id', 's.channel_id', 's.before', '$4::int')}`,
      [
        sides.map((side) => side.userId),
        sides.map((side) => side.channelId),
        sides.map((side) => side.before),
        this.deps.followed,
      ],
    );
    return new Set(found.map((row) => row.place - 1));
  }
}
