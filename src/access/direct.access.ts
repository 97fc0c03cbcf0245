import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { pairOf } from '../database/array-text.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';

interface Standing {
  /** Which of the two have blocked the other. */
  blockers: string[];
  /** Whether the account of one of them was deleted. */
  isAbandoned: boolean;
}

const standingCache = 'dm-standing';

/** Whether two people may write to each other; cached, since it is on the hot path. */
export class DirectAccess {
  private readonly database: Database;
  private readonly caches: Caches;
  private readonly standings: Cache<Standing>;

  constructor(database: Database, caches: Caches) {
    this.database = database;
    this.caches = caches;
    const load = (channelId: string) => this.load(channelId);
    const lessened = (before: Standing, now: Standing) =>
      now.isAbandoned || now.blockers.some((blocker) => !before.blockers.includes(blocker));
    this.standings = caches.create(standingCache, 50_000, { facts: { load, lessened } });
  }

  /** @throws AppError BLOCKED, USER_BLOCKED when one of the two blocked the other, FORBIDDEN when one of them is gone */
  async requireOpen(actor: Actor, channelId: string): Promise<void> {
    const standing = await this.standings.get(channelId, () => this.load(channelId));
    if (standing?.isAbandoned) {
      throw new AppError('FORBIDDEN', { message: 'This account was deleted; nothing can be sent to it.' });
    }
    if (!standing || standing.blockers.length === 0) return;
    throw new AppError(standing.blockers.includes(actor.userId) ? 'USER_BLOCKED' : 'BLOCKED');
  }

  /** Makes all nodes check again whether two people may write to each other. */
  async forgetBetween(one: string, other: string): Promise<void> {
    const { low, high } = pairOf(one, other);
    await this.forget('SELECT channel_id AS id FROM dm_channels WHERE low_id = $1 AND high_id = $2', [low, high]);
  }

  /** Makes all nodes check again who may write to someone. */
  async forgetAllOf(userId: string): Promise<void> {
    await this.forget('SELECT channel_id AS id FROM dm_channels WHERE low_id = $1 OR high_id = $1', [userId]);
  }

  private async forget(selectDms: string, values: string[]): Promise<void> {
    const channels = await this.database.rows<{ id: string }>(selectDms, values);
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
       ) AS blockers,
       EXISTS (SELECT FROM users WHERE id IN (d.low_id, d.high_id) AND deleted_at IS NOT NULL) AS "isAbandoned"
       FROM dm_channels d WHERE d.channel_id = $1`,
      [channelId],
    );
    return row;
  }
}
