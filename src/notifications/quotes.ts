import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { userRoom } from '../delivery/entry.ts';
import { preview } from './message-notices.ts';
import { notificationUpdated } from './notification.contract.ts';
import { type NotificationRow, notificationRecord, selectNotifications } from './notification.view.ts';

/** A notification that quotes what a message no longer says. */
export interface Stale {
  id: string;
  userId: string;
}

/** What messages say now: nothing, once they are gone. */
const said = `SELECT known.id, coalesce(${preview}, '') AS body
  FROM unnest($1::uuid[]) AS known (id) LEFT JOIN messages m ON m.id = known.id`;

/** Whether a notification quotes a message. */
export async function isQuoted(rows: Rows, messageId: string): Promise<boolean> {
  const found = await rows<{ id: string }>(
    `SELECT id FROM notifications WHERE reference_type = 'message' AND reference_id = $1 LIMIT 1`,
    [messageId],
  );
  return found.length > 0;
}

/** The notifications that quote the messages, and not as they are now. */
export async function readStale(rows: Rows, messageIds: string[]): Promise<Stale[]> {
  if (messageIds.length === 0) return [];
  return rows<Stale>(
    `SELECT n.id, n.user_id AS "userId" FROM (${said}) AS said
     JOIN notifications n ON n.reference_type = 'message' AND n.reference_id = said.id AND n.body <> said.body`,
    [messageIds],
  );
}

/**
 * Takes the former words of messages out of notifications and out of what the logs of their users say of them. The logs
 * of the users must be locked.
 */
export async function renewQuotes(change: Change, messageIds: string[], stale: Stale[]): Promise<void> {
  if (messageIds.length === 0) return;
  await change.rows(
    `UPDATE log_entries SET data = (data::jsonb || jsonb_build_object('body', said.body))::json
     FROM (${said}) AS said WHERE event IN ('notification:new', 'notification:updated')
       AND data ->> 'referenceId' = said.id::text AND data ->> 'body' <> said.body`,
    [messageIds],
  );
  if (stale.length === 0) return;
  await change.rows(
    `UPDATE notifications n SET body = said.body FROM (${said}) AS said
     WHERE n.id = ANY($2::uuid[]) AND n.reference_type = 'message' AND n.reference_id = said.id`,
    [messageIds, stale.map(({ id }) => id)],
  );
  const rows = await change.rows<NotificationRow>(`${selectNotifications} WHERE n.id = ANY($1::uuid[]) ORDER BY n.id`, [
    stale.map(({ id }) => id),
  ]);
  for (const row of rows) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
}
