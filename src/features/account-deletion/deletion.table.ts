import type { Rows } from '../../database/database.ts';
import { isShown } from '../pictures/picture.table.ts';

/** SQL that deletes some rows of a user. $1 user, $2 how many at most */
const deleteSome = (table: string, key: string, where: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT $2) RETURNING 1 AS one`;

const usedTokens = `DELETE FROM used_refresh_tokens WHERE hash IN (
    SELECT t.hash FROM sessions s JOIN used_refresh_tokens t ON t.session_id = s.id WHERE s.user_id = $1 LIMIT $2
  ) RETURNING 1 AS one`;

const usedAppTokens = `DELETE FROM used_app_tokens WHERE hash IN (
    SELECT u.hash FROM personal_tokens t JOIN used_app_tokens u ON u.token_id = t.id WHERE t.user_id = $1 LIMIT $2
  ) RETURNING 1 AS one`;

/** What others have allowed their apps. */
const tokensOfApps = `UPDATE personal_tokens SET revoked_at = now() WHERE id IN (
    SELECT t.id FROM oauth_apps a JOIN personal_tokens t ON t.app_id = a.id AND t.revoked_at IS NULL
    WHERE a.owner_id = $1 LIMIT $2
  ) RETURNING 1 AS one`;

/**
 * What is of a user alone, each found by an index, in the order in which it goes. The sources of a notification go with it.
 */
export const ownRows: readonly string[] = [
  usedTokens,
  deleteSome('channel_overrides', 'id', 'user_id = $1'),
  deleteSome('command_rule_holders', 'id', 'user_id = $1'),
  deleteSome('sessions', 'id', 'user_id = $1'),
  usedAppTokens,
  deleteSome('personal_tokens', 'id', 'user_id = $1'),
  deleteSome('oauth_codes', 'code_hash', 'user_id = $1'),
  deleteSome('oauth_devices', 'device_hash', 'user_id = $1'),
  tokensOfApps,
  deleteSome('oauth_apps', 'id', 'owner_id = $1'),
  deleteSome('model_tokens', 'id', 'user_id = $1'),
  deleteSome('oauth_accounts', 'id', 'user_id = $1'),
  deleteSome('password_resets', 'token_hash', 'user_id = $1'),
  deleteSome('email_verifications', 'user_id', 'user_id = $1'),
  deleteSome('email_changes', 'id', 'user_id = $1'),
  deleteSome('totp_factors', 'user_id', 'user_id = $1'),
  deleteSome('recovery_codes', 'user_id, code_hash', 'user_id = $1'),
  deleteSome('passkeys', 'id', 'user_id = $1'),
  deleteSome('passkey_challenges', 'challenge_hash', 'user_id = $1'),
  deleteSome('sign_in_tickets', 'token_hash', 'user_id = $1'),
  deleteSome('former_usernames', 'id', 'user_id = $1'),
  deleteSome('known_devices', 'id', 'user_id = $1'),
  deleteSome('security_notices', 'id', 'user_id = $1'),
  deleteSome('account_exports', 'id', 'user_id = $1'),
  deleteSome('idempotency_keys', 'user_id, route, key', 'user_id = $1'),
  deleteSome('presence_wishes', 'user_id', 'user_id = $1'),
  deleteSome('custom_statuses', 'user_id', 'user_id = $1'),
  deleteSome('read_receipt_choices', 'user_id', 'user_id = $1'),
  deleteSome('notification_preferences', 'user_id', 'user_id = $1'),
  deleteSome('notification_keywords', 'user_id, place', 'user_id = $1'),
  deleteSome('digests', 'user_id', 'user_id = $1'),
  deleteSome('push_preferences', 'user_id', 'user_id = $1'),
  deleteSome('mcp_subscriptions', 'session_id, channel_id', 'user_id = $1'),
  deleteSome('notifications', 'id', 'user_id = $1'),
  deleteSome('channel_reads', 'channel_id, user_id', 'user_id = $1'),
  deleteSome('thread_follows', 'thread_id, user_id', 'user_id = $1'),
  deleteSome('channel_levels', 'channel_id, user_id', 'user_id = $1'),
  deleteSome('server_levels', 'server_id, user_id', 'user_id = $1'),
  deleteSome('channel_favorites', 'channel_id, user_id', 'user_id = $1'),
  deleteSome('blocks', 'user_id, blocked_id', 'user_id = $1'),
  deleteSome('blocks', 'user_id, blocked_id', 'blocked_id = $1'),
  deleteSome('server_bans', 'id', 'user_id = $1'),
  deleteSome('server_timeouts', 'server_id, user_id', 'user_id = $1'),
  deleteSome('reports', 'id', 'reporter_id = $1'),
  // The name of someone who was reported.
  `UPDATE report_cases SET snapshot = NULL WHERE id IN (
    SELECT id FROM report_cases WHERE about_id = $1 AND kind = 'user' AND snapshot IS NOT NULL LIMIT $2) RETURNING 1 AS one`,
  deleteSome('invite_codes', 'id', 'created_by = $1'),
  `UPDATE invite_codes SET used_by = NULL
    WHERE id IN (SELECT id FROM invite_codes WHERE used_by = $1 LIMIT $2) RETURNING 1 AS one`,
  // They end, and whom they brought stays known without their maker's name.
  `UPDATE server_invites SET created_by = NULL, revoked_at = coalesce(revoked_at, now()), over_at = least(over_at, now())
    WHERE id IN (SELECT id FROM server_invites WHERE created_by = $1 LIMIT $2) RETURNING 1 AS one`,
  deleteSome('held_messages', 'id', 'author_id = $1'),
  deleteSome('saved_items', 'id', 'user_id = $1'),
  deleteSome('scheduled_messages', 'id', 'user_id = $1'),
  // What the votes come to stays: else it would say what someone chose in an anonymous poll.
  deleteSome('poll_votes', 'message_id, option_id, user_id', 'user_id = $1'),
  deleteSome('ephemerals', 'id', 'user_id = $1'),
  // What can be used once does not come back.
  `UPDATE component_uses SET user_id = NULL
    WHERE id IN (SELECT id FROM component_uses WHERE user_id = $1 LIMIT $2) RETURNING 1 AS one`,
  deleteSome('drafts', 'user_id, place_id', 'user_id = $1'),
  // How another product named someone whose messages were taken over.
  deleteSome('import_people', 'import_id, key', 'user_id = $1'),
  deleteSome('storage_quotas', 'subject_id', 'subject_id = $1'),
  deleteSome('attachments', 'id', 'uploader_id = $1 AND message_id IS NULL'),
  // Those of servers stay.
  deleteSome('pictures', 'name, size', `uploader_id = $1 AND NOT (${isShown('pictures')})`),
];

const joinRequests = `SELECT DISTINCT server_id AS id FROM join_requests WHERE user_id = $1 ORDER BY server_id LIMIT $2`;
const sentNotifications = `SELECT id, user_id AS "userId" FROM notifications WHERE sender_id = $1 LIMIT $2`;
const deleteNotifications = 'DELETE FROM notifications WHERE id = ANY($1::uuid[]) RETURNING id, user_id AS "userId"';
const mailsTo = `DELETE FROM jobs WHERE kind IN ('mail', 'mail-request', 'address-mail', 'leaving-mail', 'notice-mail')
  AND (data ->> 'email' = $2 OR data ->> 'userId' = $1::text)`;
const deleteVisits = `DELETE FROM workspace_viewers WHERE user_id = $1
  AND workspace_id IN (SELECT id FROM workspaces WHERE server_id = $2)`;
const deleteCodes = ['DELETE FROM mailed_codes WHERE email = $1', 'DELETE FROM email_codes WHERE email = $1'];
const raiseFloor = 'UPDATE streams SET floor_seq = last_seq WHERE id = $1 AND floor_seq < last_seq';
const dropEntries = `DELETE FROM log_entries WHERE stream_id = $1 AND seq IN (
    SELECT seq FROM log_entries WHERE stream_id = $1 ORDER BY seq LIMIT $2
  ) RETURNING 1 AS one`;
const cameBack = `SELECT id FROM sessions
  WHERE user_id = $1 AND revoked_at IS NULL AND refresh_expires_at > now() LIMIT 1`;

/** Whether someone has a session: all had ended, so a node of an earlier version has signed them in since. */
export async function isSignedIn(rows: Rows, userId: string): Promise<boolean> {
  return (await rows(cameBack, [userId])).length > 0;
}

/** Forgets what was mailed to an address, or is about to be. */
export async function forgetMails(rows: Rows, userId: string, email: string | null): Promise<void> {
  await rows(mailsTo, [userId, email]);
  if (email !== null) for (const statement of deleteCodes) await rows(statement, [email]);
}

/** The servers with requests of a user to join, or to join one of their channels. */
export async function askedServers(rows: Rows, userId: string, most: number): Promise<string[]> {
  return (await rows<{ id: string }>(joinRequests, [userId, most])).map(({ id }) => id);
}

/** Forgets that someone had the workspace of a server open. */
export async function forgetVisits(rows: Rows, userId: string, serverId: string): Promise<void> {
  await rows(deleteVisits, [userId, serverId]);
}

/** Some notifications that others have of what a user did. */
export function notificationsFrom(rows: Rows, userId: string, most: number): Promise<{ id: string; userId: string }[]> {
  return rows(sentNotifications, [userId, most]);
}

/** @returns those that were there */
export function removeNotifications(rows: Rows, ids: string[]): Promise<{ id: string; userId: string }[]> {
  return rows(deleteNotifications, [ids]);
}

/** Deletes some entries of a log, which must be locked, and has nothing to replay from here on. @returns how many */
export async function emptyLog(rows: Rows, streamId: string, most: number): Promise<number> {
  await rows(raiseFloor, [streamId]);
  return (await rows(dropEntries, [streamId, most])).length;
}
