import { maxOwnEmoji, ownEmojiSide } from '../../contract/server-emoji.ts';
import { isImported } from './imported-ids.table.ts';

const inFile = `JOIN channels c ON c.id = p.channel_id WHERE ${isImported}`;

/** What open votes come to is counted from them; of anonymous ones there are none. `$1` is the server. */
export const countedVotes = `UPDATE polls SET voter_count = (
    SELECT count(DISTINCT v.user_id) FROM poll_votes v WHERE v.message_id = polls.message_id),
  counts = ARRAY(SELECT (SELECT count(*) FROM poll_votes v WHERE v.message_id = polls.message_id AND v.option_id = o.id)
    FROM generate_series(1, cardinality(polls.options)) AS o (id) ORDER BY o.id)
  FROM channels c WHERE c.id = polls.channel_id AND ${isImported} AND NOT polls.anonymous`;

/** Polls, votes and emoji that a file must not have, as queries that find them. `$1` is the server. */
export const wrongExpressions: [query: string, sentence: string][] = [
  [
    `SELECT p.message_id FROM polls p ${inFile} AND NOT EXISTS (SELECT FROM messages m
       WHERE m.channel_id = p.channel_id AND m.id = p.message_id AND m.deleted_at IS NULL)`,
    'polls.jsonl: a poll is of a message that is not in its channel, or is deleted.',
  ],
  [
    `SELECT p.message_id FROM polls p JOIN poll_votes v ON v.message_id = p.message_id ${inFile}
       AND (p.anonymous OR v.option_id > cardinality(p.options))`,
    'poll-votes.jsonl: a vote is of an anonymous poll, or for an option that there is not.',
  ],
  [
    `SELECT p.message_id FROM polls p JOIN poll_votes v ON v.message_id = p.message_id ${inFile} AND NOT p.multiple
     GROUP BY p.message_id, v.user_id HAVING count(*) > 1`,
    'poll-votes.jsonl: someone has more than one vote in a poll.',
  ],
  [
    `SELECT server_id FROM server_emoji WHERE server_id = $1 GROUP BY 1 HAVING count(*) > ${maxOwnEmoji}`,
    `server-emoji.jsonl: there are more than ${maxOwnEmoji}.`,
  ],
  [
    `SELECT e.id FROM server_emoji e WHERE e.server_id = $1 AND NOT EXISTS (SELECT FROM pictures p
       WHERE '/media/' || p.name || '.webp' = e.url AND p.size = 'large'
         AND p.width <= ${ownEmojiSide} AND p.height <= ${ownEmojiSide})`,
    'server-emoji.jsonl: an emoji has no picture, or a larger one than emoji have.',
  ],
];
