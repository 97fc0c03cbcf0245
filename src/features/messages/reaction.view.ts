import type { z } from 'zod';
import { namedUsers, type reactionSchema } from '../../contract/reaction.ts';
import type { Rows } from '../../database/database.ts';

export type ReactionSummary = z.output<typeof reactionSchema>;

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
