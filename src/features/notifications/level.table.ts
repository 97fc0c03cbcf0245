import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** A level that is not muting: that is among the preferences. */
type SetLevel = 'all' | 'mentions';

/** What has a level: a channel, or a server. */
export type Scope = 'channel' | 'server';

const ofChannels = `SELECT l.channel_id AS id, l.level FROM channel_levels l JOIN channels c ON c.id = l.channel_id
  WHERE l.user_id = $1 AND NOT l.channel_id = ANY($2::uuid[]) AND ${selectMayRead('$1')} ORDER BY l.channel_id`;
const ofServers = `SELECT l.server_id AS id, l.level FROM server_levels l
  JOIN server_members m ON m.server_id = l.server_id AND m.user_id = l.user_id
  WHERE l.user_id = $1 AND NOT l.server_id = ANY($2::uuid[]) ORDER BY l.server_id`;
const setIn = (scope: Scope) => `INSERT INTO ${scope}_levels (${scope}_id, user_id, level)
  SELECT $1, $2, $3 WHERE (SELECT count(*) FROM (SELECT FROM ${scope}_levels WHERE user_id = $2 LIMIT $4) AS own) < $4
    OR EXISTS (SELECT FROM ${scope}_levels WHERE user_id = $2 AND ${scope}_id = $1)
  ON CONFLICT (${scope}_id, user_id) DO UPDATE SET level = excluded.level RETURNING level`;
const forgetIn = (scope: Scope) => `DELETE FROM ${scope}_levels WHERE ${scope}_id = $1 AND user_id = $2`;
const statements = {
  channel: { list: ofChannels, set: setIn('channel'), forget: forgetIn('channel') },
  server: { list: ofServers, set: setIn('server'), forget: forgetIn('server') },
};
const watchersAmong = (levels: string) => `SELECT l.user_id FROM ${levels}
  WHERE c.id = $1 AND l.level = 'all' AND l.user_id > $2 AND ${selectMayRead('l.user_id')} ORDER BY l.user_id LIMIT $3`;
/** Each list is read by its own index, no further than it takes. */
const watchers = `SELECT user_id AS "userId" FROM (
    (${watchersAmong('channels c JOIN channel_levels l ON l.channel_id = c.id')})
    UNION (${watchersAmong('channels c JOIN server_levels l ON l.server_id = c.server_id')})
  ) AS watching ORDER BY user_id LIMIT $3`;
/** $3 null: no end. */
const setMuteEnd = `UPDATE notification_preferences
  SET mute_ends = (mute_ends - $2::text) || CASE WHEN $3::text IS NULL THEN '{}' ELSE jsonb_build_object($2::text, $3::text) END
  WHERE user_id = $1`;
const channelsOf = 'SELECT id FROM channels WHERE server_id = $1 AND deleted_at IS NULL';

/** The statements about levels of single channels and servers. */
export const levelTable = {
  /** Those of the channels that a user may read, or of the servers that they are in. @param muted ids to leave out */
  async ofUser(rows: Rows, scope: Scope, userId: string, muted: string[]): Promise<Record<string, SetLevel>> {
    const found = await rows<{ id: string; level: SetLevel }>(statements[scope].list, [userId, muted]);
    return Object.fromEntries(found.map(({ id, level }) => [id, level]));
  },

  /** @returns false: there are `most` already */
  async set(rows: Rows, scope: Scope, id: string, set: { userId: string; level: SetLevel; most: number }) {
    return (await rows(statements[scope].set, [id, set.userId, set.level, set.most])).length > 0;
  },

  async forget(rows: Rows, scope: Scope, id: string, userId: string): Promise<void> {
    await rows(statements[scope].forget, [id, userId]);
  },

  /** Until when a channel or server that is muted is so; null: until that is taken back. */
  async setMuteEnd(rows: Rows, userId: string, id: string, until: string | null): Promise<void> {
    await rows(setMuteEnd, [userId, id, until]);
  },

  /** Some who want every message of a channel, or of its server, and may read it, by id. */
  async watchers(rows: Rows, channelId: string, after: string, most: number): Promise<string[]> {
    const found = await rows<{ userId: string }>(watchers, [channelId, after, most]);
    return found.map(({ userId }) => userId);
  },

  /** The channels of a server. */
  async channelsOf(rows: Rows, serverId: string): Promise<string[]> {
    return (await rows<{ id: string }>(channelsOf, [serverId])).map(({ id }) => id);
  },
};
