import type { SlashCommand } from '../../contract/agent.ts';
import type { Rows } from '../../database/database.ts';
import type { Said } from './loop-guard.ts';

/** SQL of the bots among `mentions` (JSON text), each with the number in the log from after which it is mentioned. */
const botsIn = (mentions: string, after: string) =>
  `(SELECT coalesce(jsonb_object_agg(u.id, ${after}), '{}') FROM json_array_elements(${mentions}) AS one
    JOIN users u ON u.is_bot AND u.id = (one ->> 'targetId')::uuid WHERE one ->> 'kind' = 'user')`;

/**
 * SQL of the bots that a message mentions or ever mentioned, as JSON: by user id, the number in the channel's log after which
 * events of the message concern the bot. Edits and erasures keep them, so that each event is judged the same on every node
 * and at any time.
 * @param message the alias of the row of `messages`
 */
export const everMentioned = (message: string): string =>
  `coalesce(${message}.mentioned_bots, ${botsIn(`${message}.mentions`, `${message}.seq - 1`)})`;

/**
 * SQL of the new `mentioned_bots` in an UPDATE of `messages` that replaces the mentions. The channel's log must be locked.
 * @param mentions SQL of the new ones
 */
export const mentionedBots = (mentions: string): string => {
  const from = '(SELECT last_seq FROM streams WHERE streams.id = messages.channel_id)';
  return `nullif(${botsIn(mentions, from)} || ${everMentioned('messages')}, '{}')`;
};

/**
 * SQL of the number from after which events of a message concern a bot because it was mentioned, or named by a slash command
 * of its own, which the map has under its id with a `/` before it.
 * @param bot SQL of the bot's user id, as text
 */
export const namedSince = (message: string, bot: string): string =>
  `coalesce((${everMentioned(message)} ->> ${bot})::bigint, (${message}.mentioned_bots ->> ('/' || ${bot}))::bigint)`;

/**
 * SQL: whether a bot that gets only what is meant for it may read a message: its own, replies to it, what mentions it
 * or ever did, its commands, and messages in threads that it takes part in, as in its events (see Concerns).
 * @param message the alias of the row of `messages`
 * @param bot SQL of the bot's user id
 * @param upTo SQL of a number of the channel's log: whether it might do so when that was reached; without one: now
 */
export const concernsBot = (message: string, bot: string, upTo?: string): string => `(${message}.author_id = ${bot}
  OR (${message}.mentions IS NOT NULL OR ${message}.mentioned_bots IS NOT NULL)
    AND ${namedSince(message, `${bot}::text`)} ${upTo === undefined ? 'IS NOT NULL' : `< ${upTo}`}
  OR ${message}.reply_to_id IS NOT NULL
    AND EXISTS (SELECT FROM messages ro WHERE ro.channel_id = ${message}.channel_id AND ro.id = ${message}.reply_to_id AND ro.author_id = ${bot})
  OR ${message}.thread_id IS NOT NULL AND ${message}.seq >= (
    SELECT CASE WHEN th.creator_id = ${bot} OR coalesce(pm.author_id = ${bot}, false) THEN 0 ELSE
      (SELECT min(om.seq) FROM messages om WHERE om.thread_id = th.id AND om.author_id = ${bot}) END
    FROM threads th LEFT JOIN messages pm ON pm.id = th.parent_message_id WHERE th.id = ${message}.thread_id))`;

const concerningOnes = `SELECT m.id FROM messages m WHERE m.id = ANY($2::uuid[]) AND ${concernsBot('m', '$1::uuid')}`;
const commandingOnes = `SELECT m.id FROM messages m WHERE m.id = ANY($2::uuid[]) AND m.mentioned_bots ? ('/' || $1::text)`;

/** Those of some messages that concern a bot. */
export async function concerningAmong(rows: Rows, botUserId: string, ids: string[]): Promise<Set<string>> {
  return new Set((await rows<{ id: string }>(concerningOnes, [botUserId, ids])).map(({ id }) => id));
}

/** Those of some messages that are slash commands which name a bot. */
export async function commandingAmong(rows: Rows, botUserId: string, ids: string[]): Promise<Set<string>> {
  return new Set((await rows<{ id: string }>(commandingOnes, [botUserId, ids])).map(({ id }) => id));
}

/** Whether a message is a slash command that names a bot. */
export async function isCommandFor(rows: Rows, botUserId: string, messageId: string): Promise<boolean> {
  return (await commandingAmong(rows, botUserId, [messageId])).size > 0;
}

/** A bot in a channel, with its slash commands. */
export interface CommandedBot {
  agentId: string;
  userId: string;
  username: string;
  commands: SlashCommand[];
}

/** The bots of a channel that have slash commands. */
export function commandedBots(rows: Rows, channelId: string): Promise<CommandedBot[]> {
  return rows<CommandedBot>(
    `SELECT a.id AS "agentId", a.user_id AS "userId", u.username_key AS username, a.slash_commands AS commands
     FROM channel_members m JOIN agents a ON a.user_id = m.user_id JOIN users u ON u.id = a.user_id
     WHERE m.channel_id = $1 AND NOT m.excluded AND a.slash_commands IS NOT NULL ORDER BY a.user_id LIMIT 1000`,
    [channelId],
  );
}

/** SQL: whether a user posts by an incoming webhook, which hears nothing and so answers nobody. */
const isHook = (user: string) => `EXISTS (SELECT FROM hooks h WHERE h.user_id = ${user})`;

/** Of those alone that are looked at: a channel may have nothing but posts of tools for years. */
const selectSaid = `SELECT * FROM (SELECT m.seq, u.is_bot AND ${isHook('u.id')} AS "isHook", m.author_id AS "authorId", u.is_bot AS "isBot", m.thread_id AS "threadId", m.answers_use AS "answersUse",
    (extract(epoch FROM m.created_at) * 1000)::float8 AS at,
    u.is_bot AND (coalesce(ru.is_bot AND ru.id <> m.author_id AND NOT ${isHook('ru.id')}, false) OR EXISTS (
      SELECT 1 FROM json_array_elements(m.mentions) AS mention
        JOIN users mu ON mu.id = (mention ->> 'targetId')::uuid AND mu.is_bot AND mu.id <> m.author_id
      WHERE mention ->> 'kind' = 'user')) AS "answersBot"
  FROM messages m JOIN users u ON u.id = m.author_id
  LEFT JOIN messages r ON r.channel_id = $1 AND r.id = m.reply_to_id LEFT JOIN users ru ON ru.id = r.author_id
  WHERE m.channel_id = $1 ORDER BY m.seq DESC LIMIT $2) said WHERE NOT "isHook" ORDER BY seq DESC`;

/** The last messages of a channel, newest first. */
export function lastSaid(rows: Rows, channelId: string, limit: number): Promise<Said[]> {
  return rows<Said>(selectSaid, [channelId, limit]);
}
