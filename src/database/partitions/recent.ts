/** Whether a read of the log looks at the entries of today alone, or at all. */
export type Age = 'recent' | 'any';

/** They are in one partition, or in two in the first hour of a day, since some of the day before were written just now. */
const isRecent = `AND created_at >= date_trunc('day', now() - interval '1 hour', 'UTC')
  AND created_at < now() + interval '1 minute'`;

/** A statement for each age. @param select makes one from a condition that begins with AND */
export function byAge(select: (when: string) => string): Record<Age, string> {
  return { recent: select(isRecent), any: select('') };
}

/**
 * Reads entries after a position: mostly they are recent. The numbers of a log have no gaps, so a missing one shows that
 * there is more, for example one of a transaction that lasted longer than an hour.
 * @param read reads entries of one log, oldest first
 */
export async function recentFirst<E extends { seq: number }>(
  after: number,
  read: (age: Age) => Promise<E[]>,
): Promise<E[]> {
  const recent = await read('recent');
  return isComplete(after, recent) ? recent : read('any');
}

/** Whether entries are those that follow a position, without a gap; none are not, since there may be older ones. */
export function isComplete(after: number, entries: { seq: number }[]): boolean {
  return entries.length > 0 && entries.every(({ seq }, at) => seq === after + 1 + at);
}
