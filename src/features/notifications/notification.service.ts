import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  changePreferencesSchema,
  listNotificationsSchema,
  preferencesSchema,
  scopedUnreadSchema,
} from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import { markScopeRead, publishRead, type Scope, unreadCounts } from '../../jobs/reading.ts';
import type { Context } from '../context.ts';
import {
  type NotificationRecord,
  type NotificationRow,
  notificationRecord,
  selectNotifications,
} from './notification.view.ts';

const order = 'ORDER BY n.updated_at DESC, n.id DESC LIMIT $2 OFFSET $3';
const ofUser = `${selectNotifications} WHERE n.user_id = $1 ${order}`;
const unreadOfUser = `${selectNotifications} WHERE n.user_id = $1 AND n.read_at IS NULL ${order}`;
const ownOne = `${selectNotifications} WHERE n.id = $1 AND n.user_id = $2`;

type Preferences = z.output<typeof preferencesSchema>;
type ScopedUnread = z.output<typeof scopedUnreadSchema>;

type Deps = Pick<Context, 'database' | 'changes'>;

/** A user's notifications, their read state and preferences (contract §7). Unread counts are computed, never stored. */
export class NotificationService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Newest first, by last repeat. */
  async list(actor: Actor, query: z.output<typeof listNotificationsSchema>): Promise<NotificationRecord[]> {
    const text = query.unread === 'true' ? unreadOfUser : ofUser;
    const rows = await this.deps.database.rows<NotificationRow>(text, [actor.userId, query.limit, query.offset]);
    return rows.map(notificationRecord);
  }

  /** How many the actor has not read. */
  async unreadCount(actor: Actor): Promise<number> {
    return (await unreadCounts(this.deps.database.rows, [actor.userId])).get(actor.userId) ?? 0;
  }

  /** Unread notifications by server, channel and DM. */
  async scopedUnread(actor: Actor): Promise<ScopedUnread> {
    const rows = await this.deps.database.rows<ScopeRow>(
      `SELECT n.server_id, n.channel_id, count(*)::int AS count FROM notifications n
       WHERE n.user_id = $1 AND n.read_at IS NULL AND (n.server_id IS NOT NULL OR n.channel_id IS NOT NULL)
       GROUP BY n.server_id, n.channel_id ORDER BY n.server_id, n.channel_id`,
      [actor.userId],
    );
    return scoped(rows);
  }

  /** A second time changes nothing. @throws AppError NOTIFICATION_NOT_FOUND, also for those of others */
  async read(actor: Actor, id: string): Promise<NotificationRecord> {
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(actor.userId));
      const read = await change.rows<{ id: string; userId: string }>(
        `UPDATE notifications SET read_at = now() WHERE id = $1 AND user_id = $2 AND read_at IS NULL
         RETURNING id, user_id AS "userId"`,
        [id, actor.userId],
      );
      const [row] = await change.rows<NotificationRow>(ownOne, [id, actor.userId]);
      if (!row) throw new AppError('NOTIFICATION_NOT_FOUND');
      await publishRead(change, read);
      return notificationRecord(row);
    });
  }

  /** @returns how many were unread */
  readAll(actor: Actor): Promise<number> {
    return this.readScope(actor, { serverId: null, channelId: null });
  }

  /** All of a server, of a channel, or of a channel in a server. @returns how many were unread */
  async readScope(actor: Actor, scope: Scope): Promise<number> {
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(actor.userId));
      return markScopeRead(change, scope, [actor.userId]);
    });
  }

  /** What the actor wants to be notified of; by default everything. */
  async preferences(actor: Actor): Promise<Preferences> {
    return readPreferences(this.deps.database.rows, actor.userId);
  }

  /** Applies to everything that happens after the response. */
  async changePreferences(actor: Actor, input: z.output<typeof changePreferencesSchema>): Promise<Preferences> {
    return this.deps.changes.run(async (change) => {
      // Making notifications for this user takes the same lock, and reads the preferences under it.
      await change.lock(userRoom(actor.userId));
      const next = { ...(await readPreferences(change.rows, actor.userId)), ...given(input) };
      await change.rows(
        `INSERT INTO notification_preferences (user_id, strategy, muted_server_ids, muted_channel_ids)
         VALUES ($1, $2, $3::uuid[], $4::uuid[])
         ON CONFLICT (user_id) DO UPDATE SET strategy = excluded.strategy,
           muted_server_ids = excluded.muted_server_ids, muted_channel_ids = excluded.muted_channel_ids`,
        [actor.userId, next.strategy, next.mutedServerIds, next.mutedChannelIds],
      );
      return next;
    });
  }
}

interface ScopeRow {
  server_id: string | null;
  channel_id: string | null;
  count: number;
}

async function readPreferences(rows: Rows, userId: string): Promise<Preferences> {
  const [row] = await rows<Preferences>(
    `SELECT strategy, muted_server_ids AS "mutedServerIds", muted_channel_ids AS "mutedChannelIds"
     FROM notification_preferences WHERE user_id = $1`,
    [userId],
  );
  return row ?? { strategy: 'all', mutedServerIds: [], mutedChannelIds: [] };
}

/** Only what the request contains. */
function given(input: z.output<typeof changePreferencesSchema>): Partial<Preferences> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
}

function scoped(rows: ScopeRow[]): ScopedUnread {
  const servers = new Map<string, ScopedUnread['servers'][number]>();
  const result: ScopedUnread = { servers: [], channelUnread: {}, serverUnread: {}, dmUnread: {} };
  for (const { server_id: serverId, channel_id: channelId, count } of rows) {
    if (serverId === null) {
      if (channelId !== null) result.dmUnread[channelId] = count;
      continue;
    }
    const server = servers.get(serverId) ?? { serverId, count: 0, channels: [] };
    servers.set(serverId, server);
    server.count += count;
    if (channelId === null) continue;
    server.channels.push({ channelId, count });
    result.channelUnread[channelId] = count;
  }
  result.servers = [...servers.values()];
  for (const { serverId, count } of result.servers) result.serverUnread[serverId] = count;
  return result;
}
