import type { Reader } from '../../database/database.ts';
import { plainQuery, unspacedQuery } from '../../database/unspaced.ts';
import type { MessageRow } from '../messages/message.view.ts';
import { searchLatest, searchMessages } from './earlier.table.ts';
import type { Sought } from './find.table.ts';

interface Asked extends Sought {
  text: string;
  /** Null: anyone. */
  authorId: string | null;
}

/**
 * Finds messages as versions did that had their words in their own rows. It is for what was written then, until that is
 * indexed, and knows neither operators nor normal forms.
 */
export async function searchEarlier({ rows, plannedRows }: Reader, asked: Asked): Promise<MessageRow[]> {
  const text = plainQuery(asked.text);
  const unspaced = unspacedQuery(text);
  const wanted = { ...asked, words: unspaced ?? text, isApart: unspaced !== null || text.includes('-') };
  const latest = await searchLatest(rows, wanted);
  return latest.length < asked.limit ? searchMessages(plannedRows, wanted) : latest;
}
