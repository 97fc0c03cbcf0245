import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
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

/** Records which DMs were used last, and brings people back into those that were idle for long. */
export class DirectActivity {
  private readonly direct: DirectService;
  private readonly followed: number;

  /** @param followed how many of a user's last used DMs its sockets enter on connect */
  constructor(direct: DirectService, followed: number) {
    this.direct = direct;
    this.followed = followed;
  }

  /** @returns those whose sockets were not put into this one, since they used so many other DMs after it */
  async touch(rows: Rows, uses: DmUse[]): Promise<Returning[]> {
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

  announce(change: Change, userId: string, channelId: string, since: number): Promise<void> {
    return this.direct.announce(change, userId, channelId, since);
  }

  /** The indexes of sides whose DM was not among the user's last used ones before. Walks along indexes are bounded. */
  private async beyond(rows: Rows, sides: { userId: string; before: Date | string }[]): Promise<Set<number>> {
    const found = await rows<{ place: number }>(
      `SELECT s.place::int FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS s (user_id, before, place)
       WHERE $3::int < (
         SELECT count(*) FROM (
           (SELECT FROM dm_channels WHERE low_id = s.user_id AND last_active_at > s.before LIMIT $3::int + 1)
           UNION ALL
           (SELECT FROM dm_channels WHERE high_id = s.user_id AND last_active_at > s.before LIMIT $3::int + 1)
         ) AS newer
       )`,
      [sides.map((side) => side.userId), sides.map((side) => side.before), this.followed],
    );
    return new Set(found.map((row) => row.place - 1));
  }
}
