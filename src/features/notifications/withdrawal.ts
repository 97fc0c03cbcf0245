import { type NotificationKind, notificationUpdated } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { withoutDirections } from '../../infrastructure/directions.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { publishDeleted } from '../../jobs/reading.ts';
import { readMessages, titleOf } from './message-notices.ts';
import { type NotificationRow, notificationRecord, selectNotifications } from './notification.view.ts';
import { renewRows } from './quotes.ts';

/** A message that a user's notification counts, but should not any more. */
export interface Withdrawn {
  messageId: string;
  userId: string;
  notificationId: string;
}

/**
 * Whether message `m` still notifies a user: it exists, and if they were notified of a mention, it still mentions them
 * or answers them.
 */
const isMeant = (user: string) => `m.id IS NOT NULL AND t.deleted_at IS NULL AND (n.kind <> 'message.mention'
  OR EXISTS (SELECT FROM json_array_elements(m.mentions) AS one WHERE one ->> 'kind' IN ('here', 'everyone')
    OR one ->> 'kind' = 'user' AND one ->> 'targetId' = ${user}::text)
  OR EXISTS (SELECT FROM messages r WHERE r.id IN (m.reply_to_id, t.parent_message_id) AND r.author_id = ${user}))`;
const joins = `LEFT JOIN messages m ON m.id = told.message_id AND m.deleted_at IS NULL
  LEFT JOIN threads t ON t.id = m.thread_id`;
/** Notifications without sources are older than sources; the message that they show identifies them. */
const selectWithdrawn = `SELECT told.message_id AS "messageId", told.user_id AS "userId", n.id AS "notificationId" FROM (
    SELECT message_id, user_id, notification_id FROM notification_sources
    WHERE message_id = ANY($1::uuid[]) AND notification_id IS NOT NULL
    UNION SELECT reference_id, user_id, id FROM notifications
    WHERE reference_type = 'message' AND reference_id = ANY($1::uuid[])
  ) AS told JOIN notifications n ON n.id = told.notification_id ${joins}
  WHERE NOT (${isMeant('told.user_id')}) ORDER BY n.id LIMIT $2`;
const forgetSources = `DELETE FROM notification_sources s USING unnest($1::uuid[], $2::uuid[]) AS gone (message_id, user_id)
  WHERE s.message_id = gone.message_id AND s.user_id = gone.user_id
    AND NOT EXISTS (SELECT FROM messages m WHERE m.id = s.message_id AND m.deleted_at IS NULL)`;
const detachSources = `UPDATE notification_sources s SET notification_id = NULL, was_read = n.read_at IS NOT NULL
  FROM unnest($1::uuid[], $2::uuid[]) AS gone (message_id, user_id), notifications n
  WHERE s.message_id = gone.message_id AND s.user_id = gone.user_id AND n.id = s.notification_id`;
/** The newest message that notifications still count. */
const selectLeft = `SELECT n.id, n.user_id AS "userId", n.kind, n.channel_id AS "channelId", n.reference_id AS "referenceId",
  n.aggregated_count AS count, latest.message_id AS "newestId", latest.at AS "newestAt"
  FROM notifications n LEFT JOIN LATERAL (
    SELECT s.message_id, s.at FROM notification_sources s JOIN messages m ON m.id = s.message_id AND m.deleted_at IS NULL
    WHERE s.notification_id = n.id ORDER BY s.at DESC, s.message_id DESC LIMIT 1
  ) AS latest ON true WHERE n.id = ANY($1::uuid[]) ORDER BY n.id`;
const remove = 'DELETE FROM notifications WHERE id = ANY($1::uuid[])';
const lessen = `UPDATE notifications n SET aggregated_count = d.count FROM unnest($1::uuid[], $2::int[]) AS d (id, count)
  WHERE n.id = d.id`;
const fallBack = `UPDATE notifications n SET title = d.title, body = '', reference_type = d.reference_type,
    reference_id = d.reference_id, sender_id = coalesce(d.sender_id, n.sender_id), updated_at = coalesce(d.at, n.updated_at)
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[])
    AS d (id, title, reference_type, reference_id, sender_id, at) WHERE n.id = d.id`;

interface Left {
  id: string;
  userId: string;
  kind: NotificationKind;
  channelId: string | null;
  referenceId: string | null;
  count: number;
  newestId: string | null;
  newestAt: Date | string | null;
}

/** The messages to take out of notifications after these were edited or deleted, as many as one change handles. */
export async function readWithdrawn(rows: Rows, messageIds: string[]): Promise<Withdrawn[]> {
  if (messageIds.length === 0) return [];
  return rows<Withdrawn>(selectWithdrawn, [messageIds, atOnce]);
}

/**
 * Takes messages out of notifications: those that count nothing else are deleted, others show the newest message that is
 * left (contract §7). The logs of the users must be locked.
 * @returns ids of the notifications that it published
 */
export async function withdraw(change: Change, withdrawn: Withdrawn[]): Promise<Set<string>> {
  if (withdrawn.length === 0) return new Set();
  const { rows } = change;
  const taken = Map.groupBy(withdrawn, ({ notificationId }) => notificationId);
  const keys = [withdrawn.map(({ messageId }) => messageId), withdrawn.map(({ userId }) => userId)];
  await rows(forgetSources, keys);
  await rows(detachSources, keys);
  const left = (await rows<Left>(selectLeft, [[...taken.keys()]])).map((row) => {
    const gone = taken.get(row.id) ?? [];
    return { ...row, count: row.count - gone.length, gone: gone.map(({ messageId }) => messageId) };
  });
  const over = left.filter(({ count }) => count <= 0);
  const lessened = left.filter(({ count }) => count > 0);
  await rows(remove, [over.map(({ id }) => id)]);
  await rows(lessen, [lessened.map(({ id }) => id), lessened.map(({ count }) => count)]);
  await showNewest(
    rows,
    lessened.filter(({ gone, referenceId }) => gone.includes(referenceId ?? '')),
  );
  await publishDeleted(change, over);
  await publishUpdated(
    change,
    lessened.map(({ id }) => id),
  );
  return new Set(left.map(({ id }) => id));
}

/** Notifications whose message is gone show the newest of the others; if those are unknown, their channel. */
async function showNewest(rows: Rows, shown: Left[]): Promise<void> {
  if (shown.length === 0) return;
  const messages = await readMessages(
    rows,
    shown.flatMap(({ newestId }) => newestId ?? []),
  );
  const next = shown.map(({ id, kind, channelId, newestId, newestAt }) => {
    const message = messages.get(newestId ?? '');
    return message
      ? { id, title: titleOf(message, kind), type: 'message', to: message.id, by: message.author_id, at: newestAt }
      : { id, title: unknown, type: channelId && 'channel', to: channelId, by: null, at: null };
  });
  await rows(fallBack, [
    next.map(({ id }) => id),
    next.map(({ title }) => withoutDirections(title)),
    next.map(({ type }) => type),
    next.map(({ to }) => to),
    next.map(({ by }) => by),
    next.map(({ at }) => at),
  ]);
  await rows(renewRows, [next.filter(({ type }) => type === 'message').map(({ id }) => id)]);
}

/** The title where the messages that a notification still counts are not known. */
const unknown = 'There are messages for you';

async function publishUpdated(change: Change, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await change.rows<NotificationRow>(`${selectNotifications} WHERE n.id = ANY($1::uuid[]) ORDER BY n.id`, [
    ids,
  ]);
  for (const row of rows) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
}
