import { mostInGroup } from '../../contract/direct.ts';
import { isImported } from './imported-ids.table.ts';

/** As the features hash a set of people; of groups of the same people one stands for them. */
export const countedGroups = `UPDATE group_channels g SET people = sets.people FROM (
    SELECT channel_id, people, row_number() OVER (PARTITION BY people ORDER BY channel_id) AS place FROM (
      SELECT channel_id, translate(encode(sha256(convert_to(string_agg(user_id::text, ' ' ORDER BY user_id::text COLLATE "C"),
        'UTF8')), 'base64'), '+/=', '-_') AS people
      FROM group_members m JOIN channels c ON c.id = m.channel_id WHERE ${isImported} GROUP BY channel_id
    ) AS hashed) AS sets
  WHERE sets.channel_id = g.channel_id AND sets.place = 1`;

const inConversation = `JOIN channels c ON c.id = m.channel_id WHERE c.kind <> 'server' AND ${isImported}`;

/** Conversations that a file must not have, as queries that find them. */
export const wrongConversations: [query: string, sentence: string][] = [
  [
    `SELECT c.id FROM channels c LEFT JOIN dm_channels d ON d.channel_id = c.id
       LEFT JOIN group_channels g ON g.channel_id = c.id
     WHERE c.kind <> 'server' AND ${isImported}
       AND ((c.kind = 'dm') <> (d.channel_id IS NOT NULL) OR (c.kind = 'group') <> (g.channel_id IS NOT NULL))`,
    'direct-channels.jsonl: a conversation is not among those of its kind, or among those of another.',
  ],
  [
    `SELECT d.channel_id FROM dm_channels d JOIN channels c ON c.id = d.channel_id
     WHERE ${isImported} AND (d.low_id >= d.high_id OR ARRAY[d.low_id, d.high_id] IS DISTINCT FROM (
       SELECT array_agg(m.user_id ORDER BY m.user_id) FROM channel_members m
       WHERE m.channel_id = d.channel_id AND NOT m.excluded))`,
    'dm-channels.jsonl: others are in a conversation than the two whose it is.',
  ],
  [
    `SELECT g.channel_id FROM group_channels g JOIN channels c ON c.id = g.channel_id
     WHERE ${isImported} AND NOT EXISTS (SELECT FROM group_members m WHERE m.channel_id = g.channel_id)`,
    'group-channels.jsonl: nobody is in a group.',
  ],
  [
    `SELECT m.channel_id FROM group_members m ${inConversation}
       AND (c.kind <> 'group' OR NOT EXISTS (SELECT FROM channel_members o
         WHERE o.channel_id = m.channel_id AND o.user_id = m.user_id AND NOT o.excluded))`,
    'group-members.jsonl: someone is in a group who is not let into its channel.',
  ],
  [
    `SELECT m.channel_id FROM channel_members m ${inConversation}
       AND c.kind = 'group' AND NOT EXISTS (SELECT FROM group_members o
         WHERE o.channel_id = m.channel_id AND o.user_id = m.user_id)`,
    'channel-members.jsonl: someone is let into the channel of a group who is not in it.',
  ],
  [
    `SELECT m.channel_id FROM group_members m ${inConversation} GROUP BY 1 HAVING count(*) > ${mostInGroup}`,
    `group-members.jsonl: more than ${mostInGroup} people are in a group.`,
  ],
];
