import type { Language } from '../../contract/languages.ts';
import type { NotificationKind } from '../../contract/notification.ts';
import type { QuietSettings } from '../../contract/quiet-times.ts';
import type { Rows } from '../../database/database.ts';
import { quietOfUser } from '../notifications/quiet.table.ts';
import { mayStillBeTold } from '../notifications/told.table.ts';

/** Where the pushes of a session go. */
export interface Target {
  sessionId: string;
  userId: string;
  endpoint: string;
  p256dh: string;
  auth: string;
  serverKey: string;
}

/** Whom it goes to. */
interface Spoken {
  language: Language | null;
}

/** A notification that is to be pushed, and may be. */
export interface Due extends Target, Spoken {
  id: string;
  kind: NotificationKind;
  title: string;
  body: string;
  serverId: string | null;
  channelId: string | null;
  referenceType: string | null;
  referenceId: string | null;
  updatedAt: Date | string;
  unreadCount: number;
  preview: boolean;
  quiet: QuietSettings;
  /** Up to when an earlier push to this session had it, and when that was sent; null: there was none. */
  shownAt: Date | string | null;
  pushedAt: Date | string | null;
}

/** What was pushed to a session, and is read or gone. */
export interface Closable extends Target {
  silentPushes: number;
  unreadCount: number;
}

/** Where someone's pushes go, by the device. */
type UserTarget = Target & Spoken & { deviceName: string | null; userAgent: string | null };

/** How many pushed notifications of a session can be taken back. */
const mostPushed = 100;

const target = `s.session_id AS "sessionId", s.user_id AS "userId", s.endpoint, s.p256dh, s.auth, s.server_key AS "serverKey"`;
const unread = `(SELECT count(*)::int FROM notifications o WHERE o.user_id = s.user_id AND o.read_at IS NULL) AS "unreadCount"`;
/** Sessions that may be used now. $1 session */
const valid = `push_subscriptions s JOIN sessions e ON e.id = s.session_id AND e.revoked_at IS NULL AND e.refresh_expires_at > now()
  JOIN users u ON u.id = s.user_id AND u.suspended_at IS NULL AND u.deleted_at IS NULL AND u.deletes_at IS NULL`;

const lockEndpoint = "SELECT pg_advisory_xact_lock(hashtext('push-endpoints'), hashtext($1))";
const takeOver = 'DELETE FROM push_subscriptions WHERE endpoint = $1 AND session_id <> $2';
const put = `INSERT INTO push_subscriptions (session_id, user_id, endpoint, p256dh, auth, server_key, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, now())
  ON CONFLICT (session_id) DO UPDATE SET endpoint = excluded.endpoint, p256dh = excluded.p256dh, auth = excluded.auth,
    server_key = excluded.server_key, silent_pushes = 0,
    created_at = CASE WHEN push_subscriptions.endpoint = excluded.endpoint THEN push_subscriptions.created_at
      ELSE excluded.created_at END
  RETURNING endpoint, session_id AS "sessionId", created_at AS "createdAt"`;
const find = `SELECT endpoint, session_id AS "sessionId", created_at AS "createdAt" FROM push_subscriptions
  WHERE session_id = $1`;
const remove = 'DELETE FROM push_subscriptions WHERE session_id = $1';
const removeEndpoint = 'DELETE FROM push_subscriptions WHERE session_id = $1 AND endpoint = $2 RETURNING endpoint';
const targetOf = `SELECT ${target}, u.language FROM ${valid} WHERE s.session_id = $1`;
const targetsOfUser = `SELECT ${target}, u.language, e.device_name AS "deviceName", e.user_agent AS "userAgent"
  FROM ${valid} WHERE s.user_id = $1 ORDER BY s.created_at DESC LIMIT $2`;
/** SQL of up to when a push had notification `n`. The version before pushed each once. */
const shownAt = 'coalesce(d.shown_at, d.pushed_at)';
/** Nobody is pushed what they have read or may not be told any more, nor what has nothing new. */
const due = `SELECT ${target}, u.language, n.id, n.kind, n.title, n.body, n.server_id AS "serverId", n.channel_id AS "channelId",
    n.reference_type AS "referenceType", n.reference_id AS "referenceId", n.updated_at AS "updatedAt", ${unread},
    coalesce(p.preview, true) AS preview, ${quietOfUser} AS quiet, ${shownAt} AS "shownAt", d.pushed_at AS "pushedAt"
  FROM ${valid} JOIN notifications n ON n.id = $2 AND n.user_id = s.user_id AND n.read_at IS NULL
  LEFT JOIN push_preferences p ON p.user_id = s.user_id
  LEFT JOIN pushed_notifications d ON d.session_id = s.session_id AND d.notification_id = n.id
  WHERE s.session_id = $1 AND (d.session_id IS NULL OR ${shownAt} < n.updated_at) AND ${mayStillBeTold}`;
const claim = `INSERT INTO pushed_notifications AS d (session_id, notification_id, pushed_at, shown_at)
  SELECT s.session_id, n.id, clock_timestamp(), $4::timestamptz FROM ${valid} JOIN notifications n ON n.id = $2 AND n.read_at IS NULL
  WHERE s.session_id = $1 AND s.endpoint = $3
  ON CONFLICT (session_id, notification_id) DO UPDATE SET pushed_at = excluded.pushed_at, shown_at = excluded.shown_at
    WHERE ${shownAt} < excluded.shown_at
  RETURNING notification_id`;
const trim = `DELETE FROM pushed_notifications WHERE session_id = $1 AND pushed_at < (
  SELECT pushed_at FROM pushed_notifications WHERE session_id = $1 ORDER BY pushed_at DESC OFFSET ${mostPushed - 1} LIMIT 1)`;
const release = 'DELETE FROM pushed_notifications WHERE session_id = $1 AND notification_id = $2';
const showBefore = `UPDATE pushed_notifications SET pushed_at = $3, shown_at = $4
  WHERE session_id = $1 AND notification_id = $2`;
const restore = `INSERT INTO pushed_notifications (session_id, notification_id, pushed_at)
  SELECT s.session_id, id, now() FROM unnest($2::uuid[]) AS id JOIN push_subscriptions s ON s.session_id = $1
  ON CONFLICT DO NOTHING`;
const isClosed = `p.session_id = $1 AND NOT EXISTS (
  SELECT FROM notifications n WHERE n.id = p.notification_id AND n.read_at IS NULL)`;
const takeClosed = `DELETE FROM pushed_notifications p WHERE ${isClosed} RETURNING notification_id AS id`;
const closable = `SELECT ${target}, s.silent_pushes AS "silentPushes", ${unread} FROM ${valid} WHERE s.session_id = $1
  AND EXISTS (SELECT FROM pushed_notifications p WHERE ${isClosed})`;
const countSilent = `UPDATE push_subscriptions SET silent_pushes = silent_pushes + 1 WHERE session_id = $1`;
const preferences = 'SELECT preview FROM push_preferences WHERE user_id = $1';
const setPreferences = `INSERT INTO push_preferences (user_id, preview) VALUES ($1, $2)
  ON CONFLICT (user_id) DO UPDATE SET preview = excluded.preview`;

export interface SubscriptionRow {
  endpoint: string;
  sessionId: string;
  createdAt: Date | string;
}

const first = async <R extends object>(found: Promise<R[]>): Promise<R | undefined> => (await found)[0];

/** The statements about pushes. */
export const pushTable = {
  /** Sets the subscription of a session; that of another one with the same endpoint ends. */
  async put(rows: Rows, to: Target): Promise<SubscriptionRow | undefined> {
    const { sessionId, userId, endpoint, p256dh, auth, serverKey } = to;
    await rows(lockEndpoint, [endpoint]);
    await rows(takeOver, [endpoint, sessionId]);
    return first(rows<SubscriptionRow>(put, [sessionId, userId, endpoint, p256dh, auth, serverKey]));
  },

  find: (rows: Rows, sessionId: string) => first(rows<SubscriptionRow>(find, [sessionId])),

  async remove(rows: Rows, sessionId: string): Promise<void> {
    await rows(remove, [sessionId]);
  },

  /** Ends a subscription, unless the session has another one by now. @returns whether it was there */
  async removeEndpoint(rows: Rows, { sessionId, endpoint }: Target): Promise<boolean> {
    return (await rows(removeEndpoint, [sessionId, endpoint])).length > 0;
  },

  /** Where pushes of a session go, if it may be used now. */
  target: (rows: Rows, sessionId: string) => first(rows<Target & Spoken>(targetOf, [sessionId])),

  /** The newest places where pushes of someone go, with what is known of the devices. */
  targetsOfUser: (rows: Rows, userId: string, most: number) => rows<UserTarget>(targetsOfUser, [userId, most]),

  /** A notification that is unread and has what was not pushed to a session, if that may be used. */
  due: (rows: Rows, sessionId: string, notificationId: string) => first(rows<Due>(due, [sessionId, notificationId])),

  /**
   * Marks a notification as pushed to a session, as it was found.
   * @returns those pushed earlier that are read or gone by now; undefined: it was pushed before, is read, or the session is over
   */
  async claim(rows: Rows, { sessionId, id, endpoint, updatedAt }: Due): Promise<string[] | undefined> {
    if ((await rows(claim, [sessionId, id, endpoint, updatedAt])).length === 0) return undefined;
    await rows(trim, [sessionId]);
    return pushTable.takeClosed(rows, sessionId);
  },

  /** Takes a mark back: nothing was pushed. @param closed what the push would have taken back */
  async release(rows: Rows, { sessionId, id, pushedAt, shownAt }: Due, closed: string[]): Promise<void> {
    if (pushedAt === null) await rows(release, [sessionId, id]);
    else await rows(showBefore, [sessionId, id, pushedAt, shownAt]);
    await pushTable.restore(rows, sessionId, closed);
  },

  /** Marks notifications as pushed again: they were not taken back. */
  async restore(rows: Rows, sessionId: string, closed: string[]): Promise<void> {
    if (closed.length > 0) await rows(restore, [sessionId, closed]);
  },

  /** Forgets what was pushed to a session and is read or gone. @returns it */
  async takeClosed(rows: Rows, sessionId: string): Promise<string[]> {
    return (await rows<{ id: string }>(takeClosed, [sessionId])).map(({ id }) => id);
  },

  /** Where to take back what was pushed and is read or gone, if there is such a thing. */
  closable: (rows: Rows, sessionId: string) => first(rows<Closable>(closable, [sessionId])),

  async countSilent(rows: Rows, sessionId: string): Promise<void> {
    await rows(countSilent, [sessionId]);
  },

  async preview(rows: Rows, userId: string): Promise<boolean> {
    return (await first(rows<{ preview: boolean }>(preferences, [userId])))?.preview ?? true;
  },

  async setPreview(rows: Rows, userId: string, preview: boolean): Promise<void> {
    await rows(setPreferences, [userId, preview]);
  },
};
