import type { Rows } from '../database/database.ts';
import type { Change } from '../delivery/changes.ts';
import { userRoom } from '../delivery/entry.ts';
import { notificationUpdated } from './notification.contract.ts';
import type { ErasureJob } from './notification.jobs.ts';
import { type NotificationRow, notificationRecord, selectNotifications } from './notification.view.ts';

/** A notification that quotes a message which is gone. */
export interface Quoting {
  id: string;
  userId: string;
}

/** The notifications that quote the erased messages. */
export async function readQuoting(rows: Rows, jobs: ErasureJob[]): Promise<Quoting[]> {
  const ids = jobs.flatMap((job) => job.messageIds);
  if (ids.length === 0) return [];
  return rows<Quoting>(
    `SELECT id, user_id AS "userId" FROM notifications
     WHERE reference_type = 'message' AND reference_id = ANY($1::uuid[]) AND body <> ''`,
    [ids],
  );
}

/**
 * Takes the words of erased messages out of notifications and out of what the logs of their users say of them. The logs
 * of the users must be locked.
 */
export async function eraseQuotes(change: Change, jobs: ErasureJob[], quoting: Quoting[]): Promise<void> {
  const ids = jobs.flatMap((job) => job.messageIds);
  if (ids.length === 0) return;
  await change.rows(
    `UPDATE log_entries SET data = (data::jsonb || '{"body": ""}')::json
     WHERE event IN ('notification:new', 'notification:updated') AND data ->> 'referenceId' = ANY($1::text[])`,
    [ids],
  );
  if (quoting.length === 0) return;
  await change.rows(
    `UPDATE notifications SET body = ''
     WHERE id = ANY($1::uuid[]) AND reference_type = 'message' AND reference_id = ANY($2::uuid[])`,
    [quoting.map(({ id }) => id), ids],
  );
  const rows = await change.rows<NotificationRow>(`${selectNotifications} WHERE n.id = ANY($1::uuid[]) ORDER BY n.id`, [
    quoting.map(({ id }) => id),
  ]);
  for (const row of rows) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
}
