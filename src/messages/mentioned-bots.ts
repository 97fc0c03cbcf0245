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
