import { answerHours, maxEphemerals } from '../../contract/interaction.ts';
import type { Rows } from '../../database/database.ts';
import type { UserColumns } from '../accounts/account.view.ts';
import type { InteractionRow } from './interaction.table.ts';

/** A reply for one person, with the bot that it is from. */
export interface EphemeralRow extends UserColumns {
  id: string;
  interactionId: string;
  agentId: string;
  botId: string;
  channelId: string;
  threadId: string | null;
  replyToId: string | null;
  content: string;
  createdAt: Date | string;
  endsAt: Date | string;
}

const select = `SELECT e.id, e.interaction_id AS "interactionId", e.agent_id AS "agentId", b.id AS "botId",
    e.channel_id AS "channelId", e.thread_id AS "threadId", e.reply_to_id AS "replyToId", e.content,
    e.created_at AS "createdAt", e.ends_at AS "endsAt", b.username, b.display_name, b.avatar_url, b.is_bot
  FROM ephemerals e JOIN agents a ON a.id = e.agent_id JOIN users b ON b.id = a.user_id`;
const insert = `INSERT INTO ephemerals (id, interaction_id, key, agent_id, user_id, channel_id, thread_id, reply_to_id,
    content, created_at, ends_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp(),
    clock_timestamp() + make_interval(hours => ${answerHours}))
  ON CONFLICT (interaction_id, key) DO NOTHING RETURNING 1 AS one`;
const byKey = `${select} WHERE e.interaction_id = $1 AND e.key = $2`;
const isShown = 'e.dismissed_at IS NULL AND e.ends_at > clock_timestamp()';
const ofUser = `${select} WHERE e.user_id = $1 AND ${isShown} ORDER BY e.id DESC LIMIT ${maxEphemerals}`;
const dismissing = `UPDATE ephemerals SET dismissed_at = now(), content = ''`;
const dismiss = `${dismissing} WHERE id = $1 AND user_id = $2 AND dismissed_at IS NULL AND ends_at > clock_timestamp()
  RETURNING channel_id AS "channelId"`;
/** Those that are too many. */
const crowdOut = `${dismissing} WHERE id IN (
    SELECT e.id FROM ephemerals e WHERE e.user_id = $1 AND ${isShown} ORDER BY e.id DESC OFFSET ${maxEphemerals})
  RETURNING id, channel_id AS "channelId"`;
const forget = `DELETE FROM ephemerals WHERE id IN (SELECT id FROM ephemerals WHERE ends_at < now() LIMIT 500)
  RETURNING 1 AS one`;

/** The statements of replies for one person. */
export const ephemeralTable = {
  /** Writes one, once for each key. @returns false: it was written before */
  async insert(
    rows: Rows,
    id: string,
    { id: interactionId, agentId, userId, channelId, threadId, messageId }: InteractionRow,
    { key, content }: { key: string; content: string },
  ): Promise<boolean> {
    const place = [channelId, threadId, messageId];
    return (await rows(insert, [id, interactionId, key, agentId, userId, ...place, content])).length > 0;
  },

  byKey: async (rows: Rows, interactionId: string, key: string): Promise<EphemeralRow | undefined> =>
    (await rows<EphemeralRow>(byKey, [interactionId, key]))[0],

  /** Those that a person has not dismissed, latest first. */
  ofUser: (rows: Rows, userId: string) => rows<EphemeralRow>(ofUser, [userId]),

  /** @returns where it was; undefined: there is none */
  dismiss: async (rows: Rows, id: string, userId: string): Promise<string | undefined> =>
    (await rows<{ channelId: string }>(dismiss, [id, userId]))[0]?.channelId,

  /** Dismisses the oldest, where a person has too many. The person's log must be locked. */
  crowdOut: (rows: Rows, userId: string) => rows<{ id: string; channelId: string }>(crowdOut, [userId]),

  /** Forgets some that have ended. @returns how many */
  forget: async (rows: Rows) => (await rows(forget, [])).length,
};
