import type { z } from 'zod';
import type { dashboardSchema, menuSummarySchema } from '../../contract/account.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { isoTime } from '../../contract/schema.ts';
import type { Database } from '../../database/database.ts';
import { readOwnCounts } from './dashboard.table.ts';

type Summary = z.input<typeof dashboardSchema>;

/** What one feature counts for a user. */
export type DashboardSource = (actor: Actor) => Promise<Partial<Omit<Summary, 'memberSince'>>>;

/** The summary on a user's start page. Other features add their counts with `addSource`; without them they are 0. */
export class Dashboard {
  private readonly database: Database;
  private readonly sources: DashboardSource[] = [];

  constructor(database: Database) {
    this.database = database;
  }

  addSource(source: DashboardSource): void {
    this.sources.push(source);
  }

  async summary(actor: Actor): Promise<Summary> {
    const [own, others] = await Promise.all([readOwnCounts(this.database.rows, actor.userId), this.ofOthers(actor)]);
    if (!own) throw new AppError('USER_NOT_FOUND');
    return { ...others, ...own, memberSince: isoTime(own.memberSince) };
  }

  /** The counts shown beside a menu (contract §12). */
  async menu(actor: Actor): Promise<z.input<typeof menuSummarySchema>> {
    const { unreadNotifications, buddyCount } = await this.ofOthers(actor);
    return { notifications: { unreadCount: unreadNotifications }, buddy: { count: buddyCount } };
  }

  private async ofOthers(actor: Actor) {
    const counts = { buddyCount: 0, buddyOnlineHours: 0, friends: 0, unreadNotifications: 0 };
    const parts = await Promise.all(this.sources.map((source) => source(actor)));
    for (const part of parts) Object.assign(counts, part);
    return counts;
  }
}
