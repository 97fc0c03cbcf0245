import { selectMayRead } from '../../access/channel.table.ts';
import { notificationUpdated } from '../../contract/notification.ts';
import { userRoom } from '../../contract/rooms.ts';
import type { Rows } from '../../database/database.ts';
import type { Change } from '../../delivery/changes.ts';
import { atOnce } from '../../jobs/notification.jobs.ts';
import { publishDeleted } from '../../jobs/reading.ts';
import { preview } from './message-notices.ts';
import { type NotificationRow, notificationRecord, selectNotifications } from './notification.view.ts';

/** A notification that quotes text its message no longer has, itself or in an event of its user's log. */
export interface Stale {
  id: string;
  userId: string;
}

const andChannel = 'LEFT JOIN channels c ON c.id = m.channel_id';
/** The current text of the message for a user: nothing if it is gone, or if they may no longer read it. */
const saidTo = (user: string) => `CASE WHEN ${selectMayRead(user)} THEN ${preview} ELSE '' END`;
const quotes = `SELECT n.id, n.user_id, n.body AS former, ${saidTo('n.user_id')} AS body
  FROM notifications n LEFT JOIN messages m ON m.id = n.reference_id ${andChannel}`;
// Those of deleted messages are withdrawn (see withdrawal.ts).
const quotesOf = `${quotes} WHERE n.reference_type = 'message' AND n.reference_id = ANY($1::uuid[])
  AND m.id IS NOT NULL AND m.deleted_at IS NULL`;
/** Found by the messages, whichever users are asked for: one user may have thousands of other entries. */
const told = `told AS MATERIALIZED (
    SELECT (data ->> 'id')::uuid AS id, stream_id, seq, data ->> 'body' AS former,
      (data ->> 'referenceId')::uuid AS message_id
    FROM log_entries WHERE event IN ('notification:new', 'notification:updated')
      AND data ->> 'referenceId' = ANY($1::uuid[]::text[])
  )`;
/** Their entries in the users' logs, even if they quote a later message by now; a log has its user's id. */
const toldOf = `SELECT told.*, ${saidTo('told.stream_id')} AS body
  FROM told LEFT JOIN messages m ON m.id = told.message_id ${andChannel}`;
const selectStale = `WITH ${told} SELECT id, user_id AS "userId" FROM (
    ${quotesOf} UNION ALL SELECT id, stream_id, former, body FROM (${toldOf}) AS logged
  ) AS quote WHERE former <> body ORDER BY id LIMIT $2`;
const renewLogs = `WITH ${told} UPDATE log_entries
  SET data = (data::jsonb || jsonb_build_object('body', quote.body))::json
  FROM (${toldOf} WHERE told.stream_id IN (SELECT unnest($2::uuid[]))) AS quote
  WHERE log_entries.stream_id = quote.stream_id AND log_entries.seq = quote.seq AND quote.former <> quote.body`;
/** SQL that gives notifications the current text of the messages that they show. */
export const renewRows = `UPDATE notifications n SET body = quote.body FROM (${quotes} WHERE n.id = ANY($1::uuid[])) AS quote
  WHERE n.id = quote.id`;

/** Notifications that quote the messages, or whose events do, with outdated text: as many as are updated at once. */
export async function readStale(rows: Rows, messageIds: string[]): Promise<Stale[]> {
  if (messageIds.length === 0) return [];
  return rows<Stale>(selectStale, [messageIds, atOnce]);
}

/**
 * Removes the former text of messages from notifications and from their events in the users' logs, which must be locked.
 * @param told ids of notifications that this change has published to their users
 * @returns whether there may be more of them: a message that mentioned everyone is quoted to thousands
 */
export async function renewQuotes(
  change: Change,
  messageIds: string[],
  stale: Stale[],
  told: Set<string>,
): Promise<boolean> {
  if (stale.length === 0) return false;
  const ids = stale.map(({ id }) => id);
  await change.rows(renewLogs, [messageIds, stale.map(({ userId }) => userId)]);
  await change.rows(renewRows, [ids]);
  const rows = await change.rows<NotificationRow>(`${selectNotifications} WHERE n.id = ANY($1::uuid[]) ORDER BY n.id`, [
    ids,
  ]);
  // Even if only the log had it: nodes still have it in memory, and drop it when they see this event.
  const untold = rows.filter(({ id }) => !told.has(id));
  for (const row of untold) change.publish(notificationUpdated.in(userRoom(row.user_id), notificationRecord(row)));
  // Of those that are gone, too.
  const known = new Set([...told, ...rows.map(({ id }) => id)]);
  const gone = new Map(stale.filter(({ id }) => !known.has(id)).map((one) => [one.id, one]));
  await publishDeleted(change, [...gone.values()]);
  return stale.length === atOnce;
}
