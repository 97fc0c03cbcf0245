import type { Chore } from '../../cluster/chores.ts';
import type { Rows } from '../../database/database.ts';

const forgetOld = `UPDATE report_cases SET snapshot = NULL, authors = '{}' WHERE id IN (
    SELECT id FROM report_cases WHERE decided_at < now() - make_interval(days => $1) AND snapshot IS NOT NULL LIMIT 200)
  RETURNING id`;
const forgetWritten = `UPDATE report_cases c SET authors = array_remove(authors, $1), snapshot = jsonb_set(snapshot, '{messages}', (
    SELECT coalesce(jsonb_agg(CASE WHEN m -> 'forwarded' ->> 'authorId' = $1::text THEN m - 'forwarded' ELSE m END ORDER BY place), '[]')
    FROM jsonb_array_elements(c.snapshot -> 'messages') WITH ORDINALITY AS s (m, place)
    WHERE m ->> 'authorId' <> $1::text))
  WHERE id IN (SELECT id FROM report_cases WHERE authors @> ARRAY[$1::uuid] ORDER BY id LIMIT $2) RETURNING id`;

/** Erases what was kept of reported objects some days after the decision (contract §5). */
export const forgetSnapshots = (days: number): Chore => ({
  name: 'forget what was reported',
  step: async (rows) => (await rows(forgetOld, [days])).length,
});

/** Takes out what an author wrote, and what others forwarded of it, whose messages are erased with their account. @returns in how many cases */
export async function forgetReported(rows: Rows, authorId: string, most: number): Promise<number> {
  return (await rows(forgetWritten, [authorId, most])).length;
}
