import type { HourCycle } from '../../contract/appearance.ts';
import type { Language } from '../../contract/languages.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import type { QuietSettings } from '../../contract/quiet-times.ts';
import type { Rows } from '../../database/database.ts';
import { quietOfUser } from '../notifications/quiet.table.ts';
import { mayStillBeTold } from '../notifications/told.table.ts';

/** Someone with a proven address, and what decides when they are mailed. */
export interface Recipient {
  id: string;
  username: string;
  email: string;
  language: Language | null;
  timeZone: string | null;
  hourCycle: HourCycle | null;
  /** Null: as the operator says. */
  digestMinutes: number | null;
  quiet: QuietSettings;
  /** The job that sent the last one, and when. */
  jobId: string | null;
  sentAt: Date | string | null;
  /** When they were at a device last, as far as it is kept (contract §9, Attention). */
  attendedAt: Date | string | null;
}

/** Something that someone has missed. */
export interface Missed {
  kind: NotificationKind;
  title: string;
  body: string;
  count: number;
  at: Date | string;
  serverId: string | null;
  serverName: string | null;
  channelId: string | null;
  channelName: string | null;
  /** What it shows. */
  referenceType: string | null;
  referenceId: string | null;
}

const recipient = `SELECT u.id, u.username, u.email, u.language, u.time_zone AS "timeZone", u.hour_cycle AS "hourCycle",
    p.digest_minutes AS "digestMinutes", ${quietOfUser} AS quiet, g.job_id AS "jobId", g.sent_at AS "sentAt",
    (SELECT max(s.attended_at) FROM sessions s WHERE s.user_id = u.id) AS "attendedAt"
  FROM users u LEFT JOIN notification_preferences p ON p.user_id = u.id LEFT JOIN digests g ON g.user_id = u.id
  WHERE u.id = $1 AND NOT u.is_bot AND u.email IS NOT NULL AND u.email_verified_at IS NOT NULL AND u.deleted_at IS NULL
    AND u.suspended_at IS NULL AND u.deletes_at IS NULL`;
/** What was muted, lost or blocked since is left out. */
const isMissed = `n.user_id = $1 AND n.read_at IS NULL AND n.updated_at > $2 AND ${mayStillBeTold}`;
const missed = `SELECT n.kind, n.title, n.body, n.aggregated_count AS count, n.updated_at AS at,
    n.server_id AS "serverId", s.name AS "serverName", n.channel_id AS "channelId", c.name AS "channelName",
    n.reference_type AS "referenceType", n.reference_id AS "referenceId"
  FROM notifications n LEFT JOIN servers s ON s.id = n.server_id LEFT JOIN channels c ON c.id = n.channel_id
  WHERE ${isMissed}
  ORDER BY n.updated_at DESC, n.id DESC LIMIT $3`;
const oldest = `SELECT n.updated_at AS at FROM notifications n WHERE ${isMissed} ORDER BY n.updated_at, n.id LIMIT 1`;
const language = 'SELECT language FROM users WHERE id = $1';
const noteSent = `INSERT INTO digests (user_id, job_id, sent_at) VALUES ($1, $2, now())
  ON CONFLICT (user_id) DO UPDATE SET job_id = excluded.job_id, sent_at = excluded.sent_at
  WHERE digests.job_id <> excluded.job_id`;

/** The statements about what is mailed to people. */
export const digestTable = {
  /** Undefined for whoever is mailed nothing: without a proven address, suspended, or about to leave. */
  async recipient(rows: Rows, userId: string): Promise<Recipient | undefined> {
    return (await rows<Recipient>(recipient, [userId]))[0];
  },

  /** What someone has chosen; null: nothing. */
  async language(rows: Rows, userId: string): Promise<Language | null> {
    return (await rows<Pick<Recipient, 'language'>>(language, [userId]))[0]?.language ?? null;
  },

  /** What someone has not read that is newer than a moment, and that they may read now; the newest first. */
  missed: (rows: Rows, userId: string, since: Date, most: number) => rows<Missed>(missed, [userId, since, most]),

  /** When the first of these came. */
  async oldest(rows: Rows, userId: string, since: Date): Promise<Date | string | undefined> {
    return (await rows<Pick<Missed, 'at'>>(oldest, [userId, since]))[0]?.at;
  },

  /** A job is about to send one. A second attempt leaves the time of the first. */
  async noteSent(rows: Rows, userId: string, jobId: string): Promise<void> {
    await rows(noteSent, [userId, jobId]);
  },
};
