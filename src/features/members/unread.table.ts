import { mostUnread } from '../../contract/channel.ts';

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
