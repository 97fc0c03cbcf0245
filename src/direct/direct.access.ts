import type { Actor } from '../access/actor.ts';
import type { Database } from '../database/database.ts';
import type { Caches } from '../delivery/caches.ts';
import { AppError } from '../errors.ts';
import { pairOf } from '../friends/pair.ts';
import type { Cache } from '../infrastructure/cache.ts';

interface Standing {
  /** Who of the two has blocked the other. */
  blockers: string[];
}

const standingCache = 'dm-standing';

/** Whether two people may write to each other; on the hot path it comes from the cache. */
export class DirectAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly standings: Cache<Standing>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    this.standings = caches.create(standingCache, 50_000);
  }

  /** @throws AppError BLOCKED, USER_BLOCKED when one of the two blocked the other */
  async requireOpen(actor: Actor, channelId: string): Promise<void> {
    const standing = await this.standings.get(channelId, () => this.load(channelId));
    if (!standing || standing.blockers.length === 0) return;
    throw new AppError(standing.blockers.includes(actor.userId) ? 'USER_BLOCKED' : 'BLOCKED');
  }

  /** Makes all nodes ask anew whether two people may write to each other. */
  async forgetBetween(one: string, other: string): Promise<void> {
    const { low, high } = pairOf(one, other);
    const channels = await this.database.rows<{ id: string }>(
      'SELECT channel_id AS id FROM dm_channels WHERE low_id = $1 AND high_id = $2',
      [low, high],
    );
    await this.caches.forget(
      standingCache,
      channels.map((channel) => channel.id),
    );
  }

  private async load(channelId: string): Promise<Standing | undefined> {
    const [row] = await this.database.committedRows<Standing>(
      `SELECT ARRAY(
         SELECT user_id FROM blocks
         WHERE (user_id = d.low_id AND blocked_id = d.high_id) OR (user_id = d.high_id AND blocked_id = d.low_id)
       ) AS blockers FROM dm_channels d WHERE d.channel_id = $1`,
      [channelId],
    );
    return row;
  }
}
