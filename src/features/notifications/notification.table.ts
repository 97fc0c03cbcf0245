import type { z } from 'zod';
import { selectMayRead } from '../../access/channel.table.ts';
import { type NotificationKind, type preferencesSchema, typeOfKind } from '../../contract/notification.ts';
import { withoutDirections } from '../../contract/unicode/visible.ts';
import type { Rows } from '../../database/database.ts';
import { type NotificationDraft, scopeOf } from './draft.ts';
import type { NotificationRow } from './notification.view.ts';
import type { Levels } from './wanted.ts';

/** How many messages a notification remembers; aggregation ends after minutes, so only a flood has more. */
const maxSources = 1000;
/** Adding and removing someone again and again notifies them once a day. */
const oncePerDay: NotificationKind[] = ['channel.member_added', 'server.member_joined'];
/** News about the user's own bots and access reaches them whoever caused it. */
const isDespiteBlock = (kind: NotificationKind) => kind === 'server.kicked' || kind.startsWith('agent.');

/** Names are stored as sent: direction controls in one would affect everything after it here. */
const titleOf = ({ title }: NotificationDraft) => withoutDirections(title);

/** The levels of the user of a draft. */
export interface Wanted extends Levels {
  place: number;
}

/** The unread notifications of a kind in a scope that a repeat could be merged into. */
export interface OpenRow {
  id: string;
  user_id: string;
  kind: string;
  scope: string;
  aggregated_count: number;
  created_at: Date | string;
  updated_at: Date | string;
}

/** What happens to a notification in this transaction. */
export interface Outcome {
  id: string;
  isNew: boolean;
  count: number;
  createdAt: Date;
  updatedAt: Date;
  newest: NotificationDraft;
  /** All that it stands for since this transaction. */
  added: NotificationDraft[];
}

/** How many unread ones a user has in a server, a channel, or a DM. */
export interface ScopeRow {
  server_id: string | null;
  channel_id: string | null;
  count: number;
}

export type Preferences = z.output<typeof preferencesSchema>;

const selectNotifications = `SELECT n.id, n.user_id, n.type, n.kind, n.title, n.body, n.reference_type,
  n.reference_id, n.sender_id, u.username, u.display_name, u.avatar_url, u.is_bot, n.server_id, n.channel_id,
  n.aggregated_count, n.read_at, n.created_at, n.updated_at
  FROM notifications n LEFT JOIN users u ON u.id = n.sender_id`;

const order = 'ORDER BY n.updated_at DESC, n.id DESC LIMIT $2 OFFSET $3';
const ofUser = `${selectNotifications} WHERE n.user_id = $1 ${order}`;
const unreadOfUser = `${selectNotifications} WHERE n.user_id = $1 AND n.read_at IS NULL ${order}`;
const ownOne = `${selectNotifications} WHERE n.id = $1 AND n.user_id = $2`;

const ofIds = `${selectNotifications} WHERE n.id = ANY($1::uuid[])`;
const byIds = `${ofIds} ORDER BY n.id`;
const byIdsInOrder = `${ofIds} ORDER BY n.updated_at, n.id`;
const countByScope = `SELECT n.server_id, n.channel_id, count(*)::int AS count FROM notifications n
       WHERE n.user_id = $1 AND n.read_at IS NULL AND (n.server_id IS NOT NULL OR n.channel_id IS NOT NULL)
       GROUP BY n.server_id, n.channel_id ORDER BY n.server_id, n.channel_id`;
const readOne = `UPDATE notifications SET read_at = now() WHERE id = $1 AND user_id = $2 AND read_at IS NULL
         RETURNING id, user_id AS "userId"`;
const selectPreferences = `SELECT strategy, muted_server_ids AS "mutedServerIds", muted_channel_ids AS "mutedChannelIds"
     FROM notification_preferences WHERE user_id = $1`;
const setPreferences = `INSERT INTO notification_preferences (user_id, strategy, muted_server_ids, muted_channel_ids)
         VALUES ($1, $2, $3::uuid[], $4::uuid[])
         ON CONFLICT (user_id) DO UPDATE SET strategy = excluded.strategy,
           muted_server_ids = excluded.muted_server_ids, muted_channel_ids = excluded.muted_channel_ids,
           mute_ends = (SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') FROM jsonb_each(notification_preferences.mute_ends) AS e
             WHERE e.key::uuid = ANY(excluded.muted_server_ids || excluded.muted_channel_ids))`;
const wantedOf = `SELECT d.place::int, p.strategy, p.muted_server_ids AS "mutedServers", p.muted_channel_ids AS "mutedChannels",
    l.level, sl.level AS "serverLevel"
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bool[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
      $9::uuid[], $10::bool[])
    WITH ORDINALITY
    AS d (user_id, sender_id, channel_id, may_block, request_id, invited_to, daily_kind, scope, message_id, if_unread, place)
  JOIN users u ON u.id = d.user_id AND NOT u.is_bot AND u.deleted_at IS NULL
  LEFT JOIN notification_preferences p ON p.user_id = d.user_id
  LEFT JOIN channels c ON c.id = d.channel_id
  LEFT JOIN channel_levels l ON l.channel_id = d.channel_id AND l.user_id = d.user_id
  LEFT JOIN server_levels sl ON sl.server_id = c.server_id AND sl.user_id = d.user_id
  LEFT JOIN messages m ON m.channel_id = d.channel_id AND m.id = d.message_id
  LEFT JOIN thread_follows f ON f.thread_id = m.thread_id AND f.user_id = d.user_id
  LEFT JOIN channel_reads r ON r.channel_id = d.channel_id AND r.user_id = d.user_id AND m.thread_id IS NULL
  WHERE d.user_id IS DISTINCT FROM d.sender_id
    AND NOT (d.may_block AND EXISTS (
      SELECT FROM blocks b WHERE b.user_id = d.user_id AND (b.blocked_id = d.sender_id
        OR b.blocked_id = (SELECT owner_id FROM agents WHERE user_id = d.sender_id))))
    AND NOT EXISTS (SELECT FROM notifications n WHERE n.user_id = d.user_id
      AND n.updated_at > now() - interval '1 day' AND n.kind = d.daily_kind AND n.scope = d.scope
      AND n.sender_id = d.sender_id)
    AND (d.request_id IS NULL OR EXISTS (
      SELECT FROM friendships f WHERE f.id = d.request_id AND f.status = 'pending'))
    AND NOT EXISTS (SELECT FROM server_members s WHERE s.server_id = d.invited_to AND s.user_id = d.user_id)
    AND f.state IS DISTINCT FROM 'muted'
    AND NOT (d.if_unread AND coalesce(m.seq <= coalesce(f.last_read_seq, r.last_read_seq), false))
    AND (d.channel_id IS NULL OR ${selectMayRead('d.user_id')})
  ORDER BY d.place`;
const selectOpen = `SELECT n.* FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[])) AS d (user_id, kind, scope)
     CROSS JOIN LATERAL (
       SELECT id, user_id, kind, scope, aggregated_count, created_at, updated_at FROM notifications
       WHERE user_id = d.user_id AND kind = d.kind AND scope = d.scope AND read_at IS NULL
       ORDER BY created_at DESC LIMIT 1
     ) AS n`;
const insert = `INSERT INTO notifications (id, user_id, type, kind, title, body, reference_type, reference_id, sender_id, server_id,
       channel_id, scope, aggregated_count, created_at, updated_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
       $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::int[], $14::timestamptz[],
       $15::timestamptz[])`;
const update = `UPDATE notifications n SET aggregated_count = d.count, updated_at = greatest(n.updated_at, d.at),
       title = CASE WHEN d.at >= n.updated_at THEN d.title ELSE n.title END,
       body = CASE WHEN d.at >= n.updated_at THEN d.body ELSE n.body END,
       reference_type = CASE WHEN d.at >= n.updated_at THEN d.reference_type ELSE n.reference_type END,
       reference_id = CASE WHEN d.at >= n.updated_at THEN d.reference_id ELSE n.reference_id END,
       sender_id = CASE WHEN d.at >= n.updated_at THEN d.sender_id ELSE n.sender_id END
     FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::uuid[])
       AS d (id, count, at, title, body, reference_type, reference_id, sender_id)
     WHERE n.id = d.id`;
const insertSources = `INSERT INTO notification_sources (message_id, user_id, notification_id, at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
     ON CONFLICT (message_id, user_id) DO UPDATE SET notification_id = excluded.notification_id, at = excluded.at,
       was_read = false`;
const trimSources = `DELETE FROM notification_sources s USING unnest($1::uuid[]) AS n (id) WHERE s.notification_id = n.id AND s.at < (
       SELECT at FROM notification_sources WHERE notification_id = n.id ORDER BY at DESC OFFSET $2 LIMIT 1)`;
const forgetRead = `DELETE FROM notifications WHERE id IN (
           SELECT id FROM notifications WHERE read_at < now() - make_interval(secs => $1 * 86400.0)
           ORDER BY read_at LIMIT $2
         ) RETURNING id`;
const forgetWithdrawn = `DELETE FROM notification_sources WHERE (message_id, user_id) IN (
         SELECT message_id, user_id FROM notification_sources
         WHERE notification_id IS NULL AND at < now() - interval '30 days' ORDER BY at LIMIT $1
       ) RETURNING message_id AS id`;

/** The statements about notifications and their preferences. */
export const notificationTable = {
  /** Newest first. */
  ofUser(
    rows: Rows,
    userId: string,
    query: { unread: boolean; limit: number; offset: number },
  ): Promise<NotificationRow[]> {
    return rows(query.unread ? unreadOfUser : ofUser, [userId, query.limit, query.offset]);
  },

  byIds: (rows: Rows, ids: string[]) => rows<NotificationRow>(byIds, [ids]),

  /** In the order of their last repeats. */
  byIdsInOrder: (rows: Rows, ids: string[]) => rows<NotificationRow>(byIdsInOrder, [ids]),

  async own(rows: Rows, userId: string, id: string): Promise<NotificationRow | undefined> {
    return (await rows<NotificationRow>(ownOne, [id, userId]))[0];
  },

  unreadByScope: (rows: Rows, userId: string) => rows<ScopeRow>(countByScope, [userId]),

  /** @returns it, unless it was read before */
  read: (rows: Rows, userId: string, id: string) => rows<{ id: string; userId: string }>(readOne, [id, userId]),

  async preferences(rows: Rows, userId: string): Promise<Preferences> {
    const [row] = await rows<Preferences>(selectPreferences, [userId]);
    return row ?? { strategy: 'all', mutedServerIds: [], mutedChannelIds: [] };
  },

  async setPreferences(rows: Rows, userId: string, next: Preferences): Promise<void> {
    await rows(setPreferences, [userId, next.strategy, next.mutedServerIds, next.mutedChannelIds]);
  },

  /**
   * The preferences of those drafts whose users may get them at all.
   * @param needsAccess whether a draft is only for those who may read its channel
   */
  wanted(
    rows: Rows,
    drafts: NotificationDraft[],
    needsAccess: (draft: NotificationDraft) => boolean,
  ): Promise<Wanted[]> {
    return rows<Wanted>(wantedOf, [
      drafts.map((draft) => draft.userId),
      drafts.map((draft) => draft.senderId),
      // News about the user's own access is also for those who cannot see the channel, or no longer can.
      drafts.map((draft) => (needsAccess(draft) ? draft.channelId : null)),
      drafts.map(({ kind }) => !isDespiteBlock(kind)),
      drafts.map((draft) => (draft.kind === 'friendship.request' ? draft.referenceId : null)),
      drafts.map((draft) => (draft.kind === 'server.invite' ? draft.serverId : null)),
      drafts.map(({ kind }) => (oncePerDay.includes(kind) ? kind : null)),
      drafts.map(scopeOf),
      drafts.map(({ kind, referenceId }) => (typeOfKind[kind] === 'system' ? null : referenceId)),
      drafts.map(({ onlyIfUnread }) => onlyIfUnread),
    ]);
  },

  /** The newest one that each draft may be merged into, however many others are unread. */
  open(rows: Rows, drafts: NotificationDraft[]): Promise<OpenRow[]> {
    const values = [drafts.map((draft) => draft.userId), drafts.map((draft) => draft.kind), drafts.map(scopeOf)];
    return rows(selectOpen, values);
  },

  async insert(rows: Rows, outcomes: Outcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    await rows(insert, [
      outcomes.map(({ id }) => id),
      outcomes.map(({ newest }) => newest.userId),
      outcomes.map(({ newest }) => typeOfKind[newest.kind]),
      outcomes.map(({ newest }) => newest.kind),
      outcomes.map(({ newest }) => titleOf(newest)),
      outcomes.map(({ newest }) => newest.body),
      outcomes.map(({ newest }) => newest.referenceType),
      outcomes.map(({ newest }) => newest.referenceId),
      outcomes.map(({ newest }) => newest.senderId),
      outcomes.map(({ newest }) => newest.serverId),
      outcomes.map(({ newest }) => newest.channelId),
      outcomes.map(({ newest }) => scopeOf(newest)),
      outcomes.map(({ count }) => count),
      outcomes.map(({ createdAt }) => createdAt),
      outcomes.map(({ updatedAt }) => updatedAt),
    ]);
  },

  async update(rows: Rows, outcomes: Outcome[]): Promise<void> {
    if (outcomes.length === 0) return;
    await rows(update, [
      outcomes.map(({ id }) => id),
      outcomes.map(({ count }) => count),
      outcomes.map(({ newest }) => newest.at),
      outcomes.map(({ newest }) => titleOf(newest)),
      outcomes.map(({ newest }) => newest.body),
      outcomes.map(({ newest }) => newest.referenceType),
      outcomes.map(({ newest }) => newest.referenceId),
      outcomes.map(({ newest }) => newest.senderId),
    ]);
  },

  /** Records the messages that notifications count, so that each can be taken out of them (see withdrawal.ts). */
  async insertSources(rows: Rows, outcomes: Outcome[]): Promise<void> {
    const sources = outcomes.flatMap(({ id, added }) =>
      added.filter(({ referenceType }) => referenceType === 'message').map((draft) => ({ id, draft })),
    );
    if (sources.length === 0) return;
    await rows(insertSources, [
      sources.map(({ draft }) => draft.referenceId),
      sources.map(({ draft }) => draft.userId),
      sources.map(({ id }) => id),
      sources.map(({ draft }) => draft.at),
    ]);
    const full = outcomes.filter(({ count }) => count > maxSources).map(({ id }) => id);
    if (full.length > 0) await rows(trimSources, [full, maxSources - 1]);
  },

  /** Deletes some that were read that many days ago. @returns how many */
  async forgetRead(rows: Rows, days: number, most: number): Promise<number> {
    return (await rows(forgetRead, [days, most])).length;
  },

  /** Forgets some mentions that were taken back long ago. @returns how many */
  async forgetWithdrawn(rows: Rows, most: number): Promise<number> {
    return (await rows(forgetWithdrawn, [most])).length;
  },
};
