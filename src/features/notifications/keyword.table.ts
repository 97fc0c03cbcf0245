import { selectMayRead } from '../../access/channel.table.ts';
import type { Rows } from '../../database/database.ts';

/** Someone with words of their own that may be in a message. */
export interface Holder {
  userId: string;
  keywords: string[];
}

export interface NewKeyword {
  text: string;
  /** By which messages find it. */
  word: string;
}

const ofUser = 'SELECT text FROM notification_keywords WHERE user_id = $1 ORDER BY place';
const remove = 'DELETE FROM notification_keywords WHERE user_id = $1';
const insert = `INSERT INTO notification_keywords (user_id, place, text, word)
  SELECT $1, place, text, word FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (text, word, place)`;
const holders = `SELECT k.user_id AS "userId", array_agg(k.text ORDER BY k.place) AS keywords
  FROM channels c CROSS JOIN notification_keywords k
  WHERE c.id = $1 AND k.word = ANY($2::text[]) AND k.user_id > $3 AND ${selectMayRead('k.user_id')} GROUP BY k.user_id ORDER BY k.user_id LIMIT $4`;

/** The statements about people's own words. */
export const keywordTable = {
  async ofUser(rows: Rows, userId: string): Promise<string[]> {
    return (await rows<{ text: string }>(ofUser, [userId])).map(({ text }) => text);
  },

  /** Replaces all of someone's. */
  async replace(rows: Rows, userId: string, keywords: NewKeyword[]): Promise<void> {
    await rows(remove, [userId]);
    if (keywords.length === 0) return;
    await rows(insert, [userId, keywords.map(({ text }) => text), keywords.map(({ word }) => word)]);
  },

  /** Some who may read a channel and have keywords that are found by one of these words, by id. */
  holders: (rows: Rows, channelId: string, words: string[], after: string, most: number) =>
    rows<Holder>(holders, [channelId, words, after, most]),
};
