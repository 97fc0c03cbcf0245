import type { Rows } from '../database/database.ts';

/** Someone's session that gets pushes. */
interface PushedSession {
  sessionId: string;
  userId: string;
}

const ofUsers = `SELECT session_id AS "sessionId", user_id AS "userId" FROM push_subscriptions
  WHERE user_id = ANY($1::uuid[])`;
const withPushed = `${ofUsers} AND EXISTS (
  SELECT FROM pushed_notifications p WHERE p.session_id = push_subscriptions.session_id)`;

/** The sessions of users that get pushes. */
export const pushedSessions = (rows: Rows, userIds: string[]) => rows<PushedSession>(ofUsers, [userIds]);

/** Those of them to which something was pushed that has not been taken back. */
export const sessionsWithPushed = (rows: Rows, userIds: string[]) => rows<PushedSession>(withPushed, [userIds]);
