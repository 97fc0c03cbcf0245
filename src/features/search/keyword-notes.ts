import type { Rows } from '../../database/database.ts';
import { clock } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import { jobTable } from '../../jobs/job.table.ts';
import { type KeywordJob, keywordKind } from '../../jobs/keyword.jobs.ts';
import { keywordsAmong } from '../../jobs/keyword.table.ts';
import type { Source } from './document.ts';
import { firstIdOf } from './times.ts';

/** What was said longer ago than this, as in a server that was imported, notifies nobody. */
const freshMs = 24 * 60 * 60_000;

/** A message with the words of its text. */
export interface Read {
  source: Source;
  words: string[];
}

/**
 * Notes those of new messages that have a word which someone wants to hear of (contract §7), as jobs in the transaction that
 * indexes them: so each is noted once, whichever nodes die, and a send waits for none of it.
 */
export async function noteKeywords(rows: Rows, read: Read[]): Promise<void> {
  const since = firstIdOf(clock.now() - freshMs);
  const fresh = read.filter(({ source: { id, serverId, isDeleted } }) => serverId !== null && !isDeleted && id > since);
  const wanted = await keywordsAmong(rows, [...new Set(fresh.flatMap(({ words }) => words))]);
  if (wanted.size === 0) return;
  const hits = fresh.filter(({ words }) => words.some((word) => wanted.has(word)));
  const jobs = hits.map(({ source }) => {
    const data: KeywordJob = { messageId: source.id, after: null, told: 0 };
    return { id: newId(), data, runAt: null, key: null };
  });
  if (jobs.length > 0) await jobTable.insert(rows, keywordKind.name, jobs);
}
