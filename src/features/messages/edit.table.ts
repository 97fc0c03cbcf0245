import { AppError } from '../../contract/errors.ts';
import { maxVersions } from '../../contract/retention.ts';
import type { Rows } from '../../database/database.ts';
import { mentionedBots } from './bots.table.ts';
import type { PlainRow } from './message.view.ts';

const edited = "is_edited = true, updated_at = greatest(now(), updated_at + interval '1 ms')";
/** In the statement of the edit: where nothing is kept, that costs two look-ups and no statement. */
const keepVersion = `WITH former AS (
    INSERT INTO message_versions (channel_id, message_id, version, content, edited_at)
    SELECT m.channel_id, m.id, 1 + coalesce((
        SELECT max(v.version) FROM message_versions v WHERE v.channel_id = $4 AND v.message_id = $1), 0),
      m.content, clock_timestamp()
    FROM messages m JOIN channels c ON c.id = m.channel_id JOIN servers s ON s.id = c.server_id AND s.keep_edit_history
    WHERE m.channel_id = $4 AND m.id = $1 AND m.deleted_at IS NULL AND m.content <> $2
    RETURNING version
  ), oldest AS (
    DELETE FROM message_versions v USING former
    WHERE v.channel_id = $4 AND v.message_id = $1 AND v.version <= former.version - ${maxVersions}
  )`;
/**
 * Replaces the text of a message, and keeps the former one where its server wants that; previews of what it no longer links
 * to go. $1 message, $2 text, $3 mentions, $4 channel, $5 addresses that it links to. The channel's log must be locked.
 */
export const updateText = `${keepVersion} UPDATE messages SET content = $2, mentions = $3::json, mentioned_bots = ${mentionedBots('$3::json')}, ${edited},
    previews = CASE WHEN previews IS NOT NULL THEN (
      SELECT json_agg(p) FROM json_array_elements(previews) AS p WHERE p ->> 'url' = ANY($5::text[])
    ) END
  WHERE channel_id = $4 AND id = $1 AND deleted_at IS NULL AND content <> $2 RETURNING id`;
/**
 * Replaces the components of a message, which is no edit of its text. $1 message, $2 channel, $3 components. The channel's log
 * must be locked.
 */
export const updateComponents = `UPDATE messages SET components = $3::json, updated_at = greatest(now(), updated_at + interval '1 ms')
  WHERE channel_id = $2 AND id = $1 AND deleted_at IS NULL AND components::text IS DISTINCT FROM $3::json::text RETURNING id`;
/** Marks a message as edited. $1 message, $2 channel */
export const markEdited = `UPDATE messages SET ${edited} WHERE channel_id = $2 AND id = $1 AND deleted_at IS NULL RETURNING id`;

/** What a message says. */
type Held = Pick<PlainRow, 'content' | 'mentions'>;

/**
 * Makes sure that a message exists, and that its row stays until the transaction ends, even if its channel is deleted
 * meanwhile. @returns what it says. @throws AppError MESSAGE_NOT_FOUND
 */
export async function holdMessage(rows: Rows, channelId: string, messageId: string): Promise<Held> {
  const [there] = await rows<Held>(
    `SELECT content, mentions FROM messages m LEFT JOIN threads t ON t.id = m.thread_id
     WHERE m.channel_id = $1 AND m.id = $2 AND m.deleted_at IS NULL AND t.deleted_at IS NULL FOR KEY SHARE OF m`,
    [channelId, messageId],
  );
  if (!there) throw new AppError('MESSAGE_NOT_FOUND');
  return there;
}

/**
 * What goes with messages $1 of channel $2: their polls, their earlier versions, what they forward, and changes of them that
 * wait for a moderator.
 */
export const withVersions = `WITH asked AS (
    DELETE FROM polls WHERE channel_id = $2 AND message_id = ANY($1::uuid[])
  ), versions AS (
    DELETE FROM message_versions WHERE channel_id = $2 AND message_id = ANY($1::uuid[])
  ), waiting AS (
    DELETE FROM held_messages WHERE channel_id = $2 AND message_id = ANY($1::uuid[]) AND kind = 'edit'
  ), forwarded AS (
    DELETE FROM message_forwards WHERE message_id = ANY($1::uuid[])
  )`;
/** Erases messages $1 of channel $2, apart from what is attached to them. The channel's log must be locked. */
export const emptyMessages = `${withVersions} UPDATE messages SET content = '', metadata = NULL, mentions = NULL,
    mentioned_bots = ${mentionedBots('NULL')}, previews = NULL, components = NULL, pinned_at = NULL, deleted_at = now()
  WHERE channel_id = $2 AND id = ANY($1::uuid[]) AND deleted_at IS NULL RETURNING id, seq`;
export const deleteReactions = 'DELETE FROM reactions WHERE message_id = ANY($1::uuid[])';
export const deleteAttachments = 'DELETE FROM attachments WHERE message_id = ANY($1::uuid[])';

/** Events that repeat the record of a message or a thread, apart from message:new; an index finds them (see LogRow). */
const retold = `event IN ('message:updated', 'message:pinned', 'message:unpinned', 'thread:created', 'thread:updated')
  AND NOT is_outdated`;
/**
 * The entries of the log $1 that repeat messages: those of the messages with numbers $2, of replies to them with numbers
 * $3, and those that tell anew of one of the ids $4. Entries of replies that were marked since their quote changed still
 * have the reply's own text.
 */
export const selectEntries = `SELECT seq, data::text AS json FROM log_entries
   WHERE stream_id = $1 AND seq = ANY($2::bigint[]) AND event = 'message:new'
     AND (NOT is_outdated OR data ->> 'content' <> '')
   UNION ALL
   SELECT seq, data::text FROM log_entries
   WHERE stream_id = $1 AND seq = ANY($3::bigint[]) AND event = 'message:new' AND NOT is_outdated
   UNION ALL
   SELECT seq, data::text FROM log_entries WHERE stream_id = $1 AND data ->> 'id' = ANY($4::text[]) AND ${retold}`;
/** The messages that reply to messages $1 of channel $2, as far as its log still has them. */
export const selectReplies = `SELECT id, seq FROM messages
   WHERE channel_id = $2 AND reply_to_id = ANY($1::uuid[]) AND seq > (SELECT floor_seq FROM streams WHERE id = $2)`;

/** The threads that start from messages $1. */
export const selectThreadsOf = 'SELECT id FROM threads WHERE parent_message_id = ANY($1::uuid[])';
/** Replaces the payloads of entries: those of the log $1 with numbers $2 by $3. */
export const blankEntries = `UPDATE log_entries SET data = blank.data, is_outdated = true
  FROM unnest($2::bigint[], $3::json[]) AS blank (seq, data)
  WHERE log_entries.stream_id = $1 AND log_entries.seq = blank.seq`;
