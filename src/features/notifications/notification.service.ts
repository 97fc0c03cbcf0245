import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import type {
  changePreferencesSchema,
  listNotificationsSchema,
  scopedUnreadSchema,
} from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import { type Scope, unreadCounts } from '../../jobs/notification.table.ts';
import { markScopeRead, publishRead } from '../../jobs/reading.ts';
import type { Context } from '../context.ts';
import { notificationTable, type Preferences, type ScopeRow } from './notification.table.ts';
import { type NotificationRecord, notificationRecord } from './notification.view.ts';
import { publishSettings } from './wishes.ts';

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
    const wanted = { ...query, unread: query.unread === 'true' };
    const rows = await this.deps.database.readCurrent((reader) =>
      notificationTable.ofUser(reader.rows, actor.userId, wanted),
    );
    return rows.map(notificationRecord);
  }

  /** How many the actor has not read. */
  async unreadCount(actor: Actor): Promise<number> {
    return (await unreadCounts(this.deps.database.rows, [actor.userId])).get(actor.userId) ?? 0;
  }

  /** Unread notifications by server, channel and DM. */
  async scopedUnread(actor: Actor): Promise<ScopedUnread> {
    return scoped(await notificationTable.unreadByScope(this.deps.database.rows, actor.userId));
  }

  /** A second time changes nothing. @throws AppError NOTIFICATION_NOT_FOUND, also for those of others */
  async read(actor: Actor, id: string): Promise<NotificationRecord> {
    return this.deps.changes.run(async (change) => {
      await change.lock(userRoom(actor.userId));
      const read = await notificationTable.read(change.rows, actor.userId, id);
      const row = await notificationTable.own(change.rows, actor.userId, id);
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
    return notificationTable.preferences(this.deps.database.rows, actor.userId);
  }

  /** Applies to everything that happens after the response. */
  async changePreferences(actor: Actor, input: z.output<typeof changePreferencesSchema>): Promise<Preferences> {
    return this.deps.changes.run(async (change) => {
      // Making notifications for this user takes the same lock, and reads the preferences under it.
      await change.lock(userRoom(actor.userId));
      const before = await notificationTable.preferences(change.rows, actor.userId);
      const next = { ...before, ...given(input) };
      if (isDeepStrictEqual(next, before)) return next;
      await notificationTable.setPreferences(change.rows, actor.userId, next);
      await publishSettings(change, actor.userId);
      return next;
    });
  }
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
