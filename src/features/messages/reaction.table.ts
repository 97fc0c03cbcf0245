import { namedUsers } from '../../contract/reaction.ts';
import type { Rows } from '../../database/database.ts';
import type { ReactionSummary } from './message.view.ts';

/**
 * SQL for a message's reactions, emoji in the order of first use; null if there are none.
 * @param message SQL of its id
 */
export const reactionsOf = (message: string): string =>
  `CASE WHEN (SELECT true FROM reactions WHERE message_id = ${message} LIMIT 1) THEN
    (SELECT json_agg(json_build_object('emoji', e.emoji, 'count', e.count, 'users', e.users, 'userIds', e.users)
      ORDER BY e.first)
    FROM (SELECT emoji, count(*) AS count, min(place) AS first,
        (array_agg(user_id ORDER BY place))[1:least(${namedUsers.each}, ${namedUsers.all} / count(*) OVER ())] AS users
      FROM reactions WHERE message_id = ${message} GROUP BY emoji) AS e) END`;

const ofMessage = `SELECT ${reactionsOf('$1')} AS reactions`;

/** The reactions to a message, in order of first use. */
export async function readReactions(rows: Rows, messageId: string): Promise<ReactionSummary[]> {
  const [found] = await rows<{ reactions: ReactionSummary[] | null }>(ofMessage, [messageId]);
  return found?.reactions ?? [];
}

/** Adds a reaction, unless it is there. $1 message, $2 emoji, $3 user */
export const insertReaction = `INSERT INTO reactions (message_id, emoji, user_id, place)
  SELECT $1, $2, $3, coalesce(max(place), 0) + 1 FROM reactions WHERE message_id = $1
  ON CONFLICT DO NOTHING RETURNING place`;
/** Removes a reaction, if it is there. $1 message, $2 the emoji in the forms in which it may be kept, $3 user */
export const deleteReaction = `DELETE FROM reactions WHERE message_id = $1 AND emoji = ANY($2::text[]) AND user_id = $3
  RETURNING emoji`;
/** How many reactions user $2 has on message $1 (`own`), and how many different emoji it has (`total`). */
export const countReactions = `SELECT count(*) FILTER (WHERE user_id = $2)::int AS own, count(DISTINCT emoji)::int AS total
  FROM reactions WHERE message_id = $1`;
