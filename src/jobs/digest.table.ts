import type { Rows } from '../database/database.ts';
import { newId } from '../infrastructure/ids.ts';
import { type DigestSettings, digestDefault } from '../settings/mail-settings.ts';
import { digestKind } from './digest.jobs.ts';

/** Null: as the operator says. */
const minutes = 'coalesce(p.digest_minutes, $4)';
/** A day's mail is sent at an hour: it is looked at soon. */
const firstLook = `make_interval(mins => coalesce(nullif(${minutes}, 1440), 1))`;
/**
 * One that waits stays as it is. It is locked all the same: if it is over in this moment, since it found nothing, there is a
 * new one after it.
 */
const plan = `INSERT INTO jobs (kind, id, data, key, run_at, due_at)
  SELECT $3, d.id, json_build_object('userId', u.id), u.id::text, now() + ${firstLook}, now() + ${firstLook}
  FROM unnest($1::uuid[], $2::uuid[]) AS d (user_id, id)
  JOIN users u ON u.id = d.user_id AND u.email IS NOT NULL AND u.email_verified_at IS NOT NULL AND NOT u.is_bot
    AND u.deleted_at IS NULL
  LEFT JOIN notification_preferences p ON p.user_id = u.id
  LEFT JOIN digests g ON g.user_id = u.id
  WHERE ${minutes} <> 0
    AND (g.sent_at IS NULL OR EXISTS (SELECT FROM sessions s WHERE s.user_id = u.id AND s.attended_at > g.sent_at))
  ORDER BY u.id
  ON CONFLICT (kind, key) WHERE key IS NOT NULL AND died_at IS NULL DO UPDATE SET run_at = jobs.run_at`;

/**
 * Has those with something new mailed later what they miss (contract §7): of these people, those with a proven address who
 * want it, and who were there since the last mail. In the transaction that notifies them.
 */
export async function planDigests(rows: Rows, userIds: string[], settings: DigestSettings): Promise<void> {
  const people = [...new Set(userIds)];
  const byDefault = digestDefault(settings);
  if (people.length === 0 || byDefault === null) return;
  await rows(plan, [people, people.map(() => newId()), digestKind.name, byDefault]);
}
