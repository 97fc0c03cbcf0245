import { maxSubscriptions } from '../../contract/mcp.ts';
import type { Rows } from '../../database/database.ts';

/** A channel that a session is subscribed to, and the position in its log that the session was notified up to. */
export interface SubscriptionRow {
  channelId: string;
  seq: number;
}

const count = `SELECT count(*) < ${maxSubscriptions} AS "hasRoom",
    coalesce(bool_or(session_id = $2 AND channel_id = $3), false) AS "isThere"
  FROM mcp_subscriptions WHERE user_id = $1`;
const add = `INSERT INTO mcp_subscriptions (session_id, channel_id, user_id, seq, seen_at) VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (session_id, channel_id) DO NOTHING`;
const remove = 'DELETE FROM mcp_subscriptions WHERE session_id = $1 AND channel_id = $2';
const removeAll = 'DELETE FROM mcp_subscriptions WHERE session_id = $1';
const ofSession = `SELECT channel_id AS "channelId", seq FROM mcp_subscriptions WHERE session_id = $1
  ORDER BY channel_id LIMIT ${maxSubscriptions}`;
/** A log that jumped ahead never falls back, and a stream that ends late must not undo what the next one noted. */
const advance = `UPDATE mcp_subscriptions s SET seq = greatest(s.seq, t.seq), seen_at = now()
  FROM unnest($2::uuid[], $3::bigint[]) AS t (channel_id, seq)
  WHERE s.session_id = $1 AND s.channel_id = t.channel_id`;
const forget = `DELETE FROM mcp_subscriptions WHERE (session_id, channel_id) IN (
    SELECT session_id, channel_id FROM mcp_subscriptions WHERE seen_at < now() - interval '1 day' LIMIT 1000
  ) RETURNING session_id`;

/** The statements about subscriptions of sessions of the Model Context Protocol. */
export const mcpSubscriptionTable = {
  /** Whether a user who is locked may add one more, and whether it is there already. */
  async room(rows: Rows, userId: string, sessionId: string, channelId: string) {
    const [found] = await rows<{ hasRoom: boolean; isThere: boolean }>(count, [userId, sessionId, channelId]);
    return { hasRoom: found?.hasRoom ?? true, isThere: found?.isThere ?? false };
  },

  async add(rows: Rows, sessionId: string, userId: string, { channelId, seq }: SubscriptionRow): Promise<void> {
    await rows(add, [sessionId, channelId, userId, seq]);
  },

  async remove(rows: Rows, sessionId: string, channelId: string): Promise<void> {
    await rows(remove, [sessionId, channelId]);
  },

  async removeAll(rows: Rows, sessionId: string): Promise<void> {
    await rows(removeAll, [sessionId]);
  },

  async ofSession(rows: Rows, sessionId: string): Promise<SubscriptionRow[]> {
    const found = await rows<{ channelId: string; seq: string | number }>(ofSession, [sessionId]);
    return found.map(({ channelId, seq }) => ({ channelId, seq: Number(seq) }));
  },

  /** Notes how far a session was notified, and that it is there. */
  async advance(rows: Rows, sessionId: string, reached: SubscriptionRow[]): Promise<void> {
    const channelIds = reached.map(({ channelId }) => channelId);
    await rows(advance, [sessionId, channelIds, reached.map(({ seq }) => seq)]);
  },

  /** Deletes some that no stream was open for in the last day. @returns how many */
  async forget(rows: Rows): Promise<number> {
    return (await rows<{ session_id: string }>(forget)).length;
  },
};
