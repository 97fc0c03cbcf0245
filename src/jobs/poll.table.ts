import type { Rows } from '../database/database.ts';

const unclosed = `SELECT p.message_id AS "messageId", p.channel_id AS "channelId", p.closes_at AS at FROM polls p
  WHERE p.closed_at IS NULL AND p.closes_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = $1 AND j.key = p.message_id::text AND j.died_at IS NULL)
  ORDER BY p.message_id`;

/** Open polls that close by themselves, without a waiting job of a kind. */
export async function unclosedPolls(
  rows: Rows,
  kind: string,
): Promise<{ messageId: string; channelId: string; at: Date }[]> {
  const found = await rows<{ messageId: string; channelId: string; at: Date | string }>(unclosed, [kind]);
  return found.map(({ at, ...place }) => ({ ...place, at: new Date(at) }));
}
