import type { Rows } from '../../database/database.ts';

/** A placeholder of an import. */
interface PlaceholderRow {
  importId: string;
  serverId: string;
  isUsed: boolean;
}

const placeholder = `SELECT p.import_id AS "importId", i.server_id AS "serverId",
    u.password_hash IS NOT NULL OR u.email_verified_at IS NOT NULL
      OR EXISTS (SELECT FROM sessions s WHERE s.user_id = u.id)
      OR EXISTS (SELECT FROM oauth_accounts o WHERE o.user_id = u.id) AS "isUsed"
  FROM import_people p JOIN imports i ON i.id = p.import_id JOIN users u ON u.id = p.user_id
  WHERE p.user_id = $1 AND p.is_placeholder AND NOT u.is_bot AND u.deleted_at IS NULL AND i.server_id IS NOT NULL
    AND i.finished_at IS NOT NULL`;

export async function placeholderOf(rows: Rows, userId: string): Promise<PlaceholderRow | undefined> {
  return (await rows<PlaceholderRow>(placeholder, [userId]))[0];
}

const channelsOf = `SELECT c.id FROM import_channels i JOIN channels c ON c.id = i.channel_id
  WHERE i.import_id = $1 AND c.deleted_at IS NULL ORDER BY c.id`;

/** The channels that an import made, as far as they are still there. */
export async function channelsMade(rows: Rows, importId: string): Promise<string[]> {
  return (await rows<{ id: string }>(channelsOf, [importId])).map(({ id }) => id);
}

/** `$1` is the placeholder, `$2` the account, `$3` the channels that were made with it. */
const steps = [
  `WITH moved AS (UPDATE messages SET author_id = $2 WHERE author_id = $1 AND channel_id = ANY($3::uuid[]) RETURNING id)
   INSERT INTO search_stale (message_id, is_text) SELECT id, true FROM moved`,
  `WITH named AS (
     UPDATE messages SET mentions = replace(mentions::text, $1::uuid::text, $2::uuid::text)::json
     WHERE channel_id = ANY($3::uuid[]) AND mentions::text LIKE '%' || $1::uuid::text || '%' RETURNING id)
   INSERT INTO search_stale (message_id, is_text) SELECT id, true FROM named`,
  `DELETE FROM reactions r USING reactions other WHERE r.user_id = $1 AND $3::uuid[] IS NOT NULL
     AND other.message_id = r.message_id AND other.emoji = r.emoji AND other.user_id = $2`,
  'UPDATE reactions SET user_id = $2 WHERE user_id = $1 AND $3::uuid[] IS NOT NULL',
  'UPDATE attachments SET uploader_id = $2 WHERE uploader_id = $1 AND $3::uuid[] IS NOT NULL',
  'UPDATE threads SET creator_id = $2 WHERE creator_id = $1 AND channel_id = ANY($3::uuid[])',
  `INSERT INTO channel_members (channel_id, user_id, joined_at)
     SELECT channel_id, $2::uuid, joined_at FROM channel_members WHERE user_id = $1 AND channel_id = ANY($3::uuid[])
   ON CONFLICT DO NOTHING`,
  'DELETE FROM channel_members WHERE user_id = $1 AND $2::uuid IS NOT NULL AND channel_id = ANY($3::uuid[])',
  'UPDATE import_people SET user_id = $2, is_placeholder = false WHERE user_id = $1 AND $3::uuid[] IS NOT NULL',
];

/** Gives an account all that a placeholder wrote and was in. */
export async function moveAll(
  rows: Rows,
  placeholderId: string,
  accountId: string,
  channelIds: string[],
): Promise<void> {
  for (const step of steps) await rows(step, [placeholderId, accountId, channelIds]);
}
