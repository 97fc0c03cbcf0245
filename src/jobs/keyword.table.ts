import type { Rows } from '../database/database.ts';

const among = `SELECT word FROM unnest($1::text[]) AS word
  WHERE EXISTS (SELECT FROM notification_keywords k WHERE k.word = word.word)`;

/** Those of these words by which someone's own words are found: one look into an index for each. */
export async function keywordsAmong(rows: Rows, words: string[]): Promise<Set<string>> {
  if (words.length === 0) return new Set();
  return new Set((await rows<{ word: string }>(among, [words])).map(({ word }) => word));
}
