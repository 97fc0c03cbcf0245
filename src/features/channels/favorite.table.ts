import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

const ofUser = `SELECT f.channel_id AS id FROM channel_favorites f JOIN channels c ON c.id = f.channel_id
  WHERE f.user_id = $1 AND ${selectMayRead('$1')} ORDER BY f.position, f.channel_id`;
const all = 'SELECT channel_id AS id FROM channel_favorites WHERE user_id = $1 ORDER BY position, channel_id';
const add = `INSERT INTO channel_favorites (channel_id, user_id, position)
  SELECT $1::uuid, $2::uuid, coalesce(max(position) + 1, 0) FROM channel_favorites WHERE user_id = $2::uuid
  HAVING count(*) < $3 ON CONFLICT DO NOTHING RETURNING position`;
const has = 'SELECT FROM channel_favorites WHERE channel_id = $1 AND user_id = $2';
const remove = 'DELETE FROM channel_favorites WHERE channel_id = $1 AND user_id = $2 RETURNING position';
const order = `UPDATE channel_favorites f SET position = o.at::int FROM unnest($2::uuid[]) WITH ORDINALITY AS o (id, at)
  WHERE f.user_id = $1 AND f.channel_id = o.id`;

const idsOf = (found: { id: string }[]): string[] => found.map(({ id }) => id);

/** The statements about favourites of single people. */
export const favoriteTable = {
  /** In their order; those that the user may read. */
  async ofUser(rows: Rows, userId: string): Promise<string[]> {
    return idsOf(await rows<{ id: string }>(ofUser, [userId]));
  },

  /** All of them, also of what the user may not read for now. */
  async all(rows: Rows, userId: string): Promise<string[]> {
    return idsOf(await rows<{ id: string }>(all, [userId]));
  },

  async has(rows: Rows, channelId: string, userId: string): Promise<boolean> {
    return (await rows(has, [channelId, userId])).length > 0;
  },

  /** Below the others. @returns false: it is one, or there are `most` already */
  async add(rows: Rows, channelId: string, userId: string, most: number): Promise<boolean> {
    return (await rows(add, [channelId, userId, most])).length > 0;
  },

  /** @returns whether it was one */
  async remove(rows: Rows, channelId: string, userId: string): Promise<boolean> {
    return (await rows(remove, [channelId, userId])).length > 0;
  },

  async order(rows: Rows, userId: string, channelIds: string[]): Promise<void> {
    await rows(order, [userId, channelIds]);
  },
};
