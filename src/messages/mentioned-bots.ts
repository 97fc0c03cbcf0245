/** SQL of the bots among `mentions` (JSON text), each with the number of the log after which it is mentioned. */
const botsIn = (mentions: string, after: string) =>
  `(SELECT coalesce(jsonb_object_agg(u.id, ${after}), '{}') FROM json_array_elements(${mentions}) AS one
    JOIN users u ON u.is_bot AND u.id = (one ->> 'targetId')::uuid WHERE one ->> 'kind' = 'user')`;

/**
 * SQL of the bots that a message mentions or once did, as JSON: by its user id, the number in the channel's log after which
 * what becomes of the message concerns the bot. Edits and erasures keep them, so that every node and every way says the same
 * of each event, whenever it is looked at.
 * @param message how the row of `messages` is called
 */
export const everMentioned = (message: string): string =>
  `coalesce(${message}.mentioned_bots, ${botsIn(`${message}.mentions`, `${message}.seq - 1`)})`;

/**
 * SQL of what an UPDATE of `messages` that replaces the mentions sets `mentioned_bots` to. The channel's log must be locked.
 * @param mentions SQL of the new ones
 */
export const mentionedBots = (mentions: string): string => {
  const from = '(SELECT last_seq FROM streams WHERE streams.id = messages.channel_id)';
  return `nullif(${botsIn(mentions, from)} || ${everMentioned('messages')}, '{}')`;
};
