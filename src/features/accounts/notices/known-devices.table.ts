import type { Rows } from '../../../database/database.ts';
import { newId } from '../../../infrastructure/ids.ts';

/** Of one account; the one that was not used for longest is forgotten. */
const most = 100;
/** Of one account, the latest. */
const sessionsRead = 200;

/** One that was seen lately is left alone: sign-ins that come together would wait for each other. */
const insert = `INSERT INTO known_devices (id, user_id, device, place, seen_at) SELECT $1, $2, $3, $4, now()
  WHERE NOT EXISTS (SELECT FROM known_devices
    WHERE user_id = $2 AND device = $3 AND place = $4 AND seen_at > now() - interval '1 hour')
  ON CONFLICT (user_id, device, place) DO UPDATE SET seen_at = now() RETURNING id`;
const trim = `DELETE FROM known_devices WHERE id = ANY(ARRAY(
    SELECT id FROM known_devices WHERE user_id = $1 ORDER BY seen_at DESC, id DESC OFFSET ${most}
  ))`;
const selectSessions = `SELECT user_agent AS "userAgent", ip_address AS ip FROM sessions
  WHERE user_id = $1 AND revoked_at IS NULL ORDER BY last_seen_at DESC LIMIT ${sessionsRead}`;
const selectUserAgent = 'SELECT user_agent AS "userAgent" FROM sessions WHERE id = $1 AND user_id = $2';
const remove = 'DELETE FROM known_devices WHERE user_id = $1 AND device = $2';

/** From where a session was used last. */
export interface SessionOrigin {
  userAgent: string | null;
  ip: string | null;
}

/** Remembers a kind of device and a range of addresses. @returns whether the account did not have them yet */
export async function rememberDevice(rows: Rows, userId: string, device: string, place: string): Promise<boolean> {
  const id = newId();
  const [kept] = await rows<{ id: string }>(insert, [id, userId, device, place]);
  if (kept?.id !== id) return false;
  await rows(trim, [userId]);
  return true;
}

/** Where the sessions of an account were used last. */
export function sessionOrigins(rows: Rows, userId: string): Promise<SessionOrigin[]> {
  return rows<SessionOrigin>(selectSessions, [userId]);
}

/** The user agent of a session; null: it has none, or there is no such session. */
export async function userAgentOf(rows: Rows, userId: string, sessionId: string): Promise<string | null> {
  return (await rows<{ userAgent: string | null }>(selectUserAgent, [sessionId, userId]))[0]?.userAgent ?? null;
}

/** Forgets a kind of device, wherever it was. */
export async function forgetDevice(rows: Rows, userId: string, device: string): Promise<void> {
  await rows(remove, [userId, device]);
}
