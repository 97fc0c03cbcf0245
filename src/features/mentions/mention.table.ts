/** The label of a mentioned channel that no longer exists: its former name stays hidden. */
const deletedChannel = 'deleted-channel';

/** SQL of a user's current name. @param user SQL of the id */
export const userLabel = (user: string): string => `(SELECT display_name FROM users WHERE id = ${user})`;

/**
 * SQL of a channel's current name, for readers of another one. The new name of a private channel is only for those in
 * it: others keep seeing the name that it was mentioned by.
 * @param given SQL of that name
 */
export const channelLabel = (channel: string, place: string, given: string): string =>
  `coalesce((SELECT CASE WHEN deleted_at IS NOT NULL THEN '${deletedChannel}'
     WHEN is_private AND id <> ${place} THEN ${given} ELSE name END
   FROM channels WHERE id = ${channel}), '${deletedChannel}')`;

/** SQL of the mentions of message `m` with current labels, as JSON. Messages without mentions cost no look-up. */
export const currentMentions = `CASE WHEN m.mentions IS NOT NULL THEN (
    SELECT json_agg(json_build_object('kind', one ->> 'kind', 'targetId', one ->> 'targetId', 'token', one ->> 'token',
      'label', CASE one ->> 'kind'
        WHEN 'user' THEN coalesce(${userLabel("(one ->> 'targetId')::uuid")}, one ->> 'label')
        WHEN 'channel' THEN ${channelLabel("(one ->> 'targetId')::uuid", 'm.channel_id', "one ->> 'label'")}
        ELSE one ->> 'label' END,
      'range', one -> 'range') ORDER BY place)
    FROM json_array_elements(m.mentions) WITH ORDINALITY AS mention (one, place)
  ) END`;
