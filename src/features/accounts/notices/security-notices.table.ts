import type { Language } from '../../../contract/languages.ts';
import type { Rows } from '../../../database/database.ts';
import { newId } from '../../../infrastructure/ids.ts';
import type { NoticeKind } from './notice-kinds.ts';

/** How many may wait for an account's mail; what is more is not mailed. */
const mostWaiting = 50;
/** What happens within this time goes into one mail. */
const gatherSeconds = 2;

const lockAccount = "SELECT pg_advisory_xact_lock(hashtext('security-notices'), hashtext($1))";
/** Joins the mail that is due next, else plans one: soon, but not soon after the last. */
const insert = `INSERT INTO security_notices (id, user_id, email, kind, detail, device, place, created_at, mail_at)
  SELECT $1, u.id, u.email, $3, $4, $5, $6, clock.now, CASE WHEN before.last > clock.now THEN before.last
    ELSE greatest(clock.now + interval '${gatherSeconds} seconds', before.last + make_interval(secs => $7)) END
  FROM users u, (SELECT clock_timestamp() AS now) AS clock, (
    SELECT max(mail_at) AS last, count(*) FILTER (WHERE mailed_at IS NULL) AS waiting
    FROM security_notices WHERE user_id = $2
  ) AS before
  WHERE u.id = $2 AND u.email_verified_at IS NOT NULL AND u.email IS NOT NULL AND u.deleted_at IS NULL
    AND before.waiting < ${mostWaiting}
  RETURNING email, (extract(epoch FROM mail_at) * 1000)::float8 AS at`;
/** In the order in which they happened. */
const selectDue = `SELECT n.id, n.kind, n.detail, n.device, n.place, u.username, u.language,
    to_char(n.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS time
  FROM security_notices n JOIN users u ON u.id = n.user_id
  WHERE n.user_id = $1 AND n.email = $2 AND n.mail_at <= $3 AND n.mailed_at IS NULL AND u.deleted_at IS NULL
  ORDER BY n.created_at, n.id`;
const markMailed = 'UPDATE security_notices SET mailed_at = now() WHERE id = ANY($1::uuid[])';

export interface NewNotice {
  userId: string;
  kind: NoticeKind;
  detail: string | null;
  device: string | null;
  place: string | null;
}

/** A mail that is to have a notice: to whom, and when, in ms since 1970. */
export interface PlannedMail {
  email: string;
  at: number;
}

/** A notice to be mailed. */
export interface DueNotice {
  id: string;
  kind: string;
  detail: string | null;
  device: string | null;
  place: string | null;
  /** What its user is called now. */
  username: string;
  language: Language | null;
  /** `2026-11-26 19:20`, in UTC. */
  time: string;
}

/**
 * Adds a notice, until the commit alone for its account.
 * @param gapSeconds the shortest time between two mails
 * @returns the mail that it goes into; undefined: none, without a proven address or if too many wait
 */
export async function addNotice(rows: Rows, notice: NewNotice, gapSeconds: number): Promise<PlannedMail | undefined> {
  const { userId, kind, detail, device, place } = notice;
  await rows(lockAccount, [userId]);
  const values = [newId(), userId, kind, detail, device, place, gapSeconds];
  return (await rows<PlannedMail>(insert, values))[0];
}

/** What a mail has, or those before it that were not sent. */
export function dueNotices(rows: Rows, userId: string, { email, at }: PlannedMail): Promise<DueNotice[]> {
  return rows<DueNotice>(selectDue, [userId, email, new Date(at)]);
}

export async function markNoticesMailed(rows: Rows, ids: string[]): Promise<void> {
  await rows(markMailed, [ids]);
}
