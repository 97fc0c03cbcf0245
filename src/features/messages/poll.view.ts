import type { NewPoll, PollRecord } from '../../contract/poll.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { PollRow } from './poll.table.ts';

export function pollRecord(row: PollRow): PollRecord {
  return {
    question: row.question,
    options: row.options.map((text, at) => ({ id: at + 1, count: row.counts[at] ?? 0, text })),
    multiple: row.multiple,
    anonymous: row.anonymous,
    voterCount: row.voterCount,
    closesAt: isoTimeOrNull(row.closesAt),
    closedAt: isoTimeOrNull(row.closedAt),
  };
}

/** A poll as it is before anyone has voted. */
export function freshPoll({ question, options, multiple, anonymous, closesAt = null }: NewPoll): PollRow {
  const counts = options.map(() => 0);
  return { question, options, counts, voterCount: 0, multiple, anonymous, closesAt, closedAt: null };
}
