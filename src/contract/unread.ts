/** Counted up to here: nobody reads on from a larger number, and counting them all would take longer with each message. */
export const mostUnread = 1000;
/** So many are looked at for that: most of them may be one's own. */
const mostLooked = 10_000;

/**
 * SQL that counts what is unread: messages of others in a channel itself, after a pointer. One look into an index, whose
 * length does not depend on how much was said.
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
