import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../schema.ts';
import type { dashboardSchema } from './account.contract.ts';

type Summary = z.input<typeof dashboardSchema>;

/** What one feature knows of a user. */
export type DashboardSource = (userId: string) => Promise<Partial<Omit<Summary, 'memberSince'>>>;

const countOwn = `SELECT u.created_at AS "memberSince",
    (SELECT count(*)::int FROM servers WHERE owner_id = u.id) AS "serversOwned",
    (SELECT count(*)::int FROM server_members m JOIN servers s ON s.id = m.server_id
      WHERE m.user_id = u.id AND s.owner_id <> u.id) AS "serversJoined",
    (SELECT count(*)::int FROM messages WHERE author_id = u.id) AS "messagesSent"
  FROM users u WHERE u.id = $1 AND u.deleted_at IS NULL`;

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

  async summary({ userId }: Actor): Promise<Summary> {
    const [[own], ...others] = await Promise.all([
      this.database.rows<OwnCounts>(countOwn, [userId]),
      ...this.sources.map((source) => source(userId)),
    ]);
    if (!own) throw new AppError('USER_NOT_FOUND');
    const nothing = { buddyCount: 0, buddyOnlineHours: 0, friends: 0, unreadNotifications: 0 };
    return Object.assign({ ...nothing, ...own, memberSince: isoTime(own.memberSince) }, ...others);
  }
}

interface OwnCounts {
  memberSince: Date | string;
  serversOwned: number;
  serversJoined: number;
  messagesSent: number;
}
