import { namedUsers } from '../../contract/reaction.ts';
import type { Rows } from '../../database/database.ts';
import type { ReactionSummary } from './message.view.ts';

/**
 * SQL for a message's reactions, emoji in the order of first use; null if there are none.
 * @param message SQL of its id
 */
export const reactionsOf = (message: string): string =>
  `CASE WHEN (SELECT true FROM reactions WHERE message_id = ${message} LIMIT 1) THEN
    (SELECT json_agg(CASE WHEN e.emoji_id IS NULL
        THEN json_build_object('emoji', e.emoji, 'count', e.count, 'users', e.users, 'userIds', e.users)
        ELSE json_build_object('emoji', e.emoji, 'emojiId', e.emoji_id, 'count', e.count, 'users', e.users, 'userIds', e.users)
      END ORDER BY e.first)
    FROM (SELECT emoji, emoji_id, count(*) AS count, min(place) AS first,
        (array_agg(user_id ORDER BY place))[1:least(${namedUsers.each}, ${namedUsers.all} / count(*) OVER ())] AS users
      FROM reactions WHERE message_id = ${message} GROUP BY emoji, emoji_id) AS e) END`;

const ofMessage = `SELECT ${reactionsOf('$1')} AS reactions`;

/** The reactions to a message, in order of first use. */
export async function readReactions(rows: Rows, messageId: string): Promise<ReactionSummary[]> {
  const [found] = await rows<{ reactions: ReactionSummary[] | null }>(ofMessage, [messageId]);
  return found?.reactions ?? [];
}

/**
 * Adds a reaction, unless it is there. With a name that meant another emoji before, it means the present one from now on. $1
 * message, $2 emoji, $3 user, $4 id of the server's own emoji
 */
export const insertReaction = `INSERT INTO reactions (message_id, emoji, user_id, place, emoji_id)
  SELECT $1, $2, $3, coalesce(max(place), 0) + 1, $4 FROM reactions WHERE message_id = $1
  ON CONFLICT (message_id, emoji, user_id) DO UPDATE SET emoji_id = excluded.emoji_id
    WHERE reactions.emoji_id IS DISTINCT FROM excluded.emoji_id
  RETURNING place`;
const ownEmoji = 'SELECT id FROM server_emoji WHERE server_id = $1 AND name = $2';

/** The id of an emoji of a server's own. */
export async function findOwnEmoji(rows: Rows, serverId: string, name: string): Promise<string | undefined> {
  return (await rows<{ id: string }>(ownEmoji, [serverId, name]))[0]?.id;
}

/** Removes a reaction, if it is there. $1 message, $2 the emoji in the forms in which it may be kept, $3 user */
export const deleteReaction = `DELETE FROM reactions WHERE message_id = $1 AND emoji = ANY($2::text[]) AND user_id = $3
  RETURNING emoji`;
/** How many reactions user $2 has on message $1 (`own`), and how many different emoji it has (`total`). */
export const countReactions = `SELECT count(*) FILTER (WHERE user_id = $2)::int AS own, count(DISTINCT emoji)::int AS total
  FROM reactions WHERE message_id = $1`;
