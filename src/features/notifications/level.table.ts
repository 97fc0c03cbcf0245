import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** A level that is not muting: that is among the preferences. */
type SetLevel = 'all' | 'mentions';

const ofUser = `SELECT l.channel_id AS "channelId", l.level FROM channel_levels l JOIN channels c ON c.id = l.channel_id
  WHERE l.user_id = $1 AND NOT l.channel_id = ANY($2::uuid[]) AND ${selectMayRead('$1')} ORDER BY l.channel_id`;
const set = `INSERT INTO channel_levels (channel_id, user_id, level)
  SELECT $1, $2, $3 WHERE (SELECT count(*) FROM (SELECT FROM channel_levels WHERE user_id = $2 LIMIT $4) AS own) < $4
    OR EXISTS (SELECT FROM channel_levels WHERE user_id = $2 AND channel_id = $1)
  ON CONFLICT (channel_id, user_id) DO UPDATE SET level = excluded.level RETURNING level`;
const forget = 'DELETE FROM channel_levels WHERE channel_id = $1 AND user_id = $2';
const watchers = `SELECT user_id AS "userId" FROM channel_levels WHERE channel_id = $1 AND level = 'all' AND user_id > $2
  ORDER BY user_id LIMIT $3`;

/** The statements about levels of single channels. */
export const levelTable = {
  /** Those of the channels that a user may read, by channel. @param muted channels to leave out */
  async ofUser(rows: Rows, userId: string, muted: string[]): Promise<Record<string, SetLevel>> {
    const found = await rows<{ channelId: string; level: SetLevel }>(ofUser, [userId, muted]);
    return Object.fromEntries(found.map(({ channelId, level }) => [channelId, level]));
  },

  /** @returns false: there are `most` already */
  async set(rows: Rows, channelId: string, userId: string, level: SetLevel, most: number): Promise<boolean> {
    return (await rows(set, [channelId, userId, level, most])).length > 0;
  },

  async forget(rows: Rows, channelId: string, userId: string): Promise<void> {
    await rows(forget, [channelId, userId]);
  },

  /** Some who want every message of a channel, by id. */
  async watchers(rows: Rows, channelId: string, after: string, most: number): Promise<string[]> {
    return (await rows<{ userId: string }>(watchers, [channelId, after, most])).map(({ userId }) => userId);
  },
};
