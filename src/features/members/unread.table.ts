import { mostUnreadThreads } from '../../contract/follow.ts';
import { mostUnread } from '../../contract/read-state.ts';

/** How many messages to scan for that: most of them may be the reader's own. */
const mostLooked = 10_000;

/**
 * SQL that counts unread messages: those of others in a channel itself, after a pointer. One index scan, whose length
 * does not depend on the number of messages.
 * @param channel SQL of its id
 * @param pointer SQL of the number of the last message that was read
 * @param user SQL of the reader's id
 */
export const selectUnread = (channel: string, pointer: string, user: string): string =>
  `SELECT count(*)::int AS count FROM (
    SELECT FROM (
      SELECT author_id FROM messages
      WHERE channel_id = ${channel} AND thread_id IS NULL AND deleted_at IS NULL AND seq > ${pointer}
      ORDER BY seq DESC LIMIT ${mostLooked}
    ) AS last WHERE author_id <> ${user} LIMIT ${mostUnread}
  ) AS counted`;

/**
 * SQL of the threads `t` of a channel with replies after a reader's pointer in it, and after what they have read in the
 * thread, as `f`; without those that they have muted. One index scan from the pointer on.
 * @param channel SQL of its id
 * @param pointer SQL of the number of the last message that was read in the channel
 * @param user SQL of the reader's id
 */
export const repliedSince = (channel: string, pointer: string, user: string): string =>
  `threads t LEFT JOIN thread_follows f ON f.thread_id = t.id AND f.user_id = ${user}
  WHERE t.channel_id = ${channel} AND t.last_seq > ${pointer} AND t.deleted_at IS NULL
    AND f.state IS DISTINCT FROM 'muted' AND t.last_seq > coalesce(f.last_read_seq, 0)`;

/** SQL that counts them. */
export const selectUnreadThreads = (channel: string, pointer: string, user: string): string =>
  `SELECT count(*)::int AS count FROM (
    SELECT FROM ${repliedSince(channel, pointer, user)} LIMIT ${mostUnreadThreads}
  ) AS counted`;
