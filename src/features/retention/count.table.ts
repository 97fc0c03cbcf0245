import type { Rows } from '../../database/database.ts';

/** So many messages are counted in all, and in one channel of a server. */
const mostCounted = 5000;
const mostInChannel = 250;

/**
 * Of channels with an expired message the oldest ones are looked at, up to a limit: how many of a channel's messages are
 * older than that is nowhere.
 * @param channels the condition for them @param limit how many in each
 */
const counting = (
  channels: string,
  limit: number,
) => `SELECT count(*)::int AS count, coalesce(bool_or(place = ${limit}), false) AS full
  FROM (
    SELECT m.place FROM channels c
      CROSS JOIN LATERAL (
        SELECT created_at FROM messages WHERE channel_id = c.id AND seq > c.expired_seq ORDER BY seq LIMIT 1) first
      CROSS JOIN LATERAL (
        SELECT created_at, row_number() OVER (ORDER BY seq) AS place FROM (
          SELECT created_at, seq FROM messages WHERE channel_id = c.id AND seq > c.expired_seq ORDER BY seq LIMIT ${limit}
        ) AS oldest) m
    WHERE ${channels} AND c.deleted_at IS NULL
      AND first.created_at + make_interval(hours => 24 * $2::int) <= now()
      AND m.created_at + make_interval(hours => 24 * $2::int) <= now()
    LIMIT ${mostCounted}
  ) AS counted`;
const inServer = counting('c.server_id = $1 AND c.keep_messages_days IS NULL', mostInChannel);
const inChannel = counting('c.id = $1', mostCounted);

/** How many messages are older than so many days; `isMore`: counting stopped. */
interface Count {
  messages: number;
  isMore: boolean;
}

/** In the channels of a server that have no number of their own. */
export const countInServer = (rows: Rows, serverId: string, days: number): Promise<Count> =>
  countedBy(rows, inServer, serverId, days);

export const countInChannel = (rows: Rows, channelId: string, days: number): Promise<Count> =>
  countedBy(rows, inChannel, channelId, days);

async function countedBy(rows: Rows, text: string, id: string, days: number): Promise<Count> {
  const [found] = await rows<{ count: number; full: boolean }>(text, [id, days]);
  const count = found?.count ?? 0;
  return { messages: count, isMore: found?.full === true || count === mostCounted };
}
