import type { CustomStatusRecord } from '../../contract/custom-status.ts';
import { isoTimeOrNull } from '../../contract/schema.ts';
import type { Rows } from '../../database/database.ts';

/** What someone says of themselves; null: nothing. */
export interface Said {
  said: CustomStatusRecord | null;
}

interface Row {
  userId: string;
  emoji: string | null;
  text: string | null;
  until: Date | string | null;
}

const some = `SELECT user_id AS "userId", emoji, text, until FROM custom_statuses
  WHERE user_id = ANY($1::uuid[]) AND (emoji IS NOT NULL OR text IS NOT NULL)`;
const set = `INSERT INTO custom_statuses (user_id, emoji, text, until, changed_at) VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (user_id) DO UPDATE SET emoji = excluded.emoji, text = excluded.text, until = excluded.until, changed_at = now()`;
const clear = `UPDATE custom_statuses SET emoji = NULL, text = NULL, until = NULL, changed_at = now()
  WHERE user_id = $1 AND (emoji IS NOT NULL OR text IS NOT NULL) AND until IS NOT DISTINCT FROM coalesce($2, until) RETURNING user_id`;
const changedSince = `SELECT user_id AS id FROM custom_statuses WHERE changed_at > now() - make_interval(secs => $1)
  ORDER BY changed_at DESC LIMIT $2`;

/** What people say of themselves, also those who say nothing. */
export async function readSaid(rows: Rows, userIds: string[]): Promise<Map<string, Said>> {
  const found = await rows<Row>(some, [userIds]);
  const said = new Map(found.map(({ userId, until, ...row }) => [userId, { ...row, until: isoTimeOrNull(until) }]));
  return new Map(userIds.map((id) => [id, { said: said.get(id) ?? null }]));
}

export async function setSaid(rows: Rows, userId: string, { emoji, text, until }: CustomStatusRecord): Promise<void> {
  await rows(set, [userId, emoji, text, until]);
}

/** @param until only the one that ends then; null: any. @returns whether there was one */
export async function clearSaid(rows: Rows, userId: string, until: string | null): Promise<boolean> {
  return (await rows(clear, [userId, until])).length > 0;
}

/** Those whose status has changed lately, the latest first. */
export async function changedLately(rows: Rows, seconds: number, most: number): Promise<string[]> {
  return (await rows<{ id: string }>(changedSince, [seconds, most])).map(({ id }) => id);
}
