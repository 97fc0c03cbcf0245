import type { Pair } from '../database/array-text.ts';
import type { Rows } from '../database/database.ts';
import type { Standing } from './direct.access.ts';

const between = 'SELECT channel_id AS id FROM dm_channels WHERE low_id = $1 AND high_id = $2';
const allOf = 'SELECT channel_id AS id FROM dm_channels WHERE low_id = $1 OR high_id = $1';
const standing = `SELECT ARRAY(
    SELECT user_id FROM blocks
    WHERE (user_id = d.low_id AND blocked_id = d.high_id) OR (user_id = d.high_id AND blocked_id = d.low_id)
  ) AS blockers,
  EXISTS (
    SELECT FROM users WHERE id IN (d.low_id, d.high_id) AND (deleted_at IS NOT NULL OR deletes_at IS NOT NULL)
  ) AS "isAbandoned"
  FROM dm_channels d WHERE d.channel_id = $1`;

/**
 * SQL of a person's last used DMs and groups, each with when that was: walks along indexes.
 * @param user SQL of their id
 * @param rest SQL of what each walk ends with
 */
export const selectDirects = (user: string, rest: string): string => `
    (SELECT channel_id, last_active_at FROM dm_channels WHERE low_id = ${user} ${rest})
    UNION ALL (SELECT channel_id, last_active_at FROM dm_channels WHERE high_id = ${user} ${rest})
    UNION ALL (SELECT channel_id, last_active_at FROM group_members WHERE user_id = ${user} ${rest})`;

/** The DM channel of two people. */
export async function dmBetween(rows: Rows, { low, high }: Pair): Promise<string | undefined> {
  const [dm] = await rows<{ id: string }>(between, [low, high]);
  return dm?.id;
}

/** The DM channels of someone. */
export async function dmsOf(rows: Rows, userId: string): Promise<string[]> {
  return (await rows<{ id: string }>(allOf, [userId])).map(({ id }) => id);
}

export async function readStanding(rows: Rows, channelId: string): Promise<Standing | undefined> {
  const [found] = await rows<Standing>(standing, [channelId]);
  return found;
}
