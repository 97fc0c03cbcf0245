import type { Rows } from '../../database/database.ts';

/** When someone was at the device of a session. */
export interface Attended {
  id: string;
  at: Date;
}

const note = `UPDATE sessions s SET attended_at = v.at FROM unnest($1::uuid[], $2::timestamptz[]) AS v (id, at)
  WHERE s.id = v.id AND s.attended_at < v.at`;

/** Remembers it. @param sessions sorted, so that concurrent calls lock the rows in the same order */
export async function noteAttended(rows: Rows, sessions: Attended[]): Promise<void> {
  await rows(note, [sessions.map(({ id }) => id), sessions.map(({ at }) => at)]);
}
