import type { Caches } from '../cluster/caches.ts';
import type { Actor } from '../contract/actor.ts';
import { AppError } from '../contract/errors.ts';
import { pairOf } from '../database/array-text.ts';
import type { Database } from '../database/database.ts';
import type { Cache } from '../infrastructure/cache.ts';
import { dmBetween, dmsOf, readStanding } from './direct.table.ts';

/** What writing in a DM depends on. */
export interface Standing {
  /** Which of the two have blocked the other. */
  blockers: string[];
  /** Whether the account of one of them was deleted, or is about to be. */
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
    const load = (channelId: string) => readStanding(database.committedRows, channelId);
    const lessened = (before: Standing, now: Standing) =>
      now.isAbandoned || now.blockers.some((blocker) => !before.blockers.includes(blocker));
    this.standings = caches.create(standingCache, 50_000, { facts: { load, lessened } });
  }

  /** @throws AppError BLOCKED, USER_BLOCKED when one of the two blocked the other, FORBIDDEN when one of them is gone */
  async requireOpen(actor: Actor, channelId: string): Promise<void> {
    const standing = await this.standings.get(channelId, () => readStanding(this.database.committedRows, channelId));
    if (standing?.isAbandoned) {
      throw new AppError('FORBIDDEN', {
        message: 'This account was deleted, or is being deleted; nothing can be sent to it.',
      });
    }
    if (!standing || standing.blockers.length === 0) return;
    throw new AppError(standing.blockers.includes(actor.userId) ? 'USER_BLOCKED' : 'BLOCKED');
  }

  /** Makes all nodes check again whether two people may write to each other. */
  async forgetBetween(one: string, other: string): Promise<void> {
    const channelId = await dmBetween(this.database.rows, pairOf(one, other));
    if (channelId) await this.caches.forget(standingCache, [channelId]);
  }

  /** Makes all nodes check again who may write to someone. */
  async forgetAllOf(userId: string): Promise<void> {
    await this.caches.forget(standingCache, await dmsOf(this.database.rows, userId));
  }
}
