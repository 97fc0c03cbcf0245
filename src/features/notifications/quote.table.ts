import { selectMayRead } from '../../access/channel.table.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import type { Rows } from '../../database/database.ts';
import { readQuoted } from './noted-message.table.ts';

/** A notification that quotes text its message no longer has, itself or in an event of its user's log. */
export interface Stale {
  id: string;
  userId: string;
}

/** A message that a user's notification counts, but should not any more. */
export interface Withdrawn {
  messageId: string;
  userId: string;
  notificationId: string;
}

/** A notification from which messages were taken out, and the newest message that it still counts. */
export interface Left {
  id: string;
  userId: string;
  kind: NotificationKind;
  channelId: string | null;
  referenceId: string | null;
  count: number;
  newestId: string | null;
  newestAt: Date | string | null;
}

/** What a notification shows from now on. */
export interface Shown {
  id: string;
  title: string;
  type: string | null;
  to: string | null;
  by: string | null;
  at: Date | string | null;
}

const andChannel = 'LEFT JOIN channels c ON c.id = m.channel_id';
/** The current text of the message for a user: nothing if it is gone, or if they may no longer read it. */
const saidTo = (user: string) => `CASE WHEN ${selectMayRead(user)} THEN coalesce(said.body, '') ELSE '' END`;
/** What is quoted of messages now, as two lists. @param first the number of its first parameter */
const saidFrom = (first: number) => `unnest($${first}::uuid[], $${first + 1}::text[]) AS said (id, body)`;
const quotes = (said: string) => `SELECT n.id, n.user_id, n.body AS former, ${saidTo('n.user_id')} AS body
  FROM notifications n LEFT JOIN messages m ON m.id = n.reference_id LEFT JOIN ${said} ON said.id = m.id ${andChannel}`;
// Those of deleted messages are withdrawn (see withdrawal.ts).
const quotesOf = `${quotes(saidFrom(3))} WHERE n.reference_type = 'message' AND n.reference_id = ANY($1::uuid[])
  AND m.id IS NOT NULL AND m.deleted_at IS NULL`;
/** Found by the messages, whichever users are asked for: one user may have thousands of other entries. */
const told = `told AS MATERIALIZED (
    SELECT (data ->> 'id')::uuid AS id, stream_id, seq, data ->> 'body' AS former,
      (data ->> 'referenceId')::uuid AS message_id
    FROM log_entries WHERE event IN ('notification:new', 'notification:updated')
      AND data ->> 'referenceId' = ANY($1::uuid[]::text[])
  )`;
/** Their entries in the users' logs, even if they quote a later message by now; a log has its user's id. */
const toldOf = `SELECT told.*, ${saidTo('told.stream_id')} AS body FROM told
  LEFT JOIN messages m ON m.id = told.message_id LEFT JOIN ${saidFrom(3)} ON said.id = m.id ${andChannel}`;
const selectStale = `WITH ${told} SELECT id, user_id AS "userId" FROM (
    ${quotesOf} UNION ALL SELECT id, stream_id, former, body FROM (${toldOf}) AS logged
  ) AS quote WHERE former <> body ORDER BY id LIMIT $2`;
const renewLogs = `WITH ${told} UPDATE log_entries
  SET data = (data::jsonb || jsonb_build_object('body', quote.body))::json
  FROM (${toldOf} WHERE told.stream_id IN (SELECT unnest($2::uuid[]))) AS quote
  WHERE log_entries.stream_id = quote.stream_id AND log_entries.seq = quote.seq AND quote.former <> quote.body`;
/** The messages that notifications show. */
const selectShown = `SELECT DISTINCT reference_id AS id FROM notifications
  WHERE id = ANY($1::uuid[]) AND reference_type = 'message' AND reference_id IS NOT NULL`;
/** SQL that gives notifications the current text of the messages that they show. */
const renewRows = `UPDATE notifications n SET body = quote.body FROM (${quotes(saidFrom(2))} WHERE n.id = ANY($1::uuid[])) AS quote
  WHERE n.id = quote.id`;

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

/** What is quoted of messages now: their ids, and the texts. */
async function saidNow(rows: Rows, messageIds: string[]): Promise<[string[], string[]]> {
  const said = await readQuoted(rows, messageIds);
  return [said.map(({ id }) => id), said.map(({ body }) => body)];
}

/** The statements by which notifications follow the messages that they quote and count. */
export const quoteTable = {
  /** Notifications that quote the messages, or whose events do, with outdated text: `most` at most. */
  async stale(rows: Rows, messageIds: string[], most: number): Promise<Stale[]> {
    return rows<Stale>(selectStale, [messageIds, most, ...(await saidNow(rows, messageIds))]);
  },

  /** Gives the events in these users' logs the current text of the messages. */
  async renewLogs(rows: Rows, messageIds: string[], users: string[]): Promise<void> {
    await rows(renewLogs, [messageIds, users, ...(await saidNow(rows, messageIds))]);
  },

  /** Gives notifications the current text of the messages that they show. */
  async renew(rows: Rows, ids: string[]): Promise<void> {
    const shown = await rows<{ id: string }>(selectShown, [ids]);
    const said = await saidNow(
      rows,
      shown.map(({ id }) => id),
    );
    await rows(renewRows, [ids, ...said]);
  },

  /** The messages to take out of notifications: `most` at most. */
  withdrawn: (rows: Rows, messageIds: string[], most: number) => rows<Withdrawn>(selectWithdrawn, [messageIds, most]),

  /** Takes messages out of what notifications count; the sources of messages that still exist are remembered. */
  async detach(rows: Rows, withdrawn: Withdrawn[]): Promise<void> {
    const keys = [withdrawn.map(({ messageId }) => messageId), withdrawn.map(({ userId }) => userId)];
    await rows(forgetSources, keys);
    await rows(detachSources, keys);
  },

  left: (rows: Rows, ids: string[]) => rows<Left>(selectLeft, [ids]),

  remove: (rows: Rows, ids: string[]) => rows(remove, [ids]),

  lessen: (rows: Rows, all: { id: string; count: number }[]) =>
    rows(lessen, [all.map(({ id }) => id), all.map(({ count }) => count)]),

  async show(rows: Rows, all: Shown[]): Promise<void> {
    await rows(fallBack, [
      all.map(({ id }) => id),
      all.map(({ title }) => title),
      all.map(({ type }) => type),
      all.map(({ to }) => to),
      all.map(({ by }) => by),
      all.map(({ at }) => at),
    ]);
  },
};
