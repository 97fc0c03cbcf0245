/** The ids of those who move: members, and the owners of bots that are members. They need an account in the target. */
export const contacts = `SELECT user_id FROM server_members WHERE server_id = $1
  UNION SELECT a.owner_id FROM agents a JOIN server_members m ON m.user_id = a.user_id WHERE m.server_id = $1`;

/**
 * Direct messages and groups in which nobody is, and nobody wrote, but those who move: others would find in another
 * installation what they said in private.
 */
const conversations = `SELECT c.id FROM (
    SELECT channel_id FROM dm_channels WHERE low_id IN (${contacts}) AND high_id IN (${contacts})
    UNION ALL SELECT DISTINCT channel_id FROM group_members WHERE user_id IN (${contacts})
  ) AS own JOIN channels c ON c.id = own.channel_id
  WHERE c.kind <> 'server' AND c.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM channel_members o WHERE o.channel_id = c.id AND o.user_id NOT IN (${contacts}))
    AND NOT EXISTS (SELECT FROM group_members o WHERE o.channel_id = c.id AND o.user_id NOT IN (${contacts}))
    AND NOT EXISTS (SELECT FROM messages m WHERE m.channel_id = c.id AND m.author_id NOT IN (${contacts}))`;

/** The ids of the conversations in an export; none unless `$2`. */
export const directChannels = `SELECT id FROM (${conversations}) AS private WHERE $2::boolean`;

/** The ids of all channels in an export: those of the server `$1`, and conversations if `$2`. */
export const chosenChannels = `SELECT id FROM channels WHERE server_id = $1 UNION ALL ${directChannels}`;

/** Visible messages of these channels: neither they nor their thread were deleted. */
export const liveMessages = `SELECT m.id, m.channel_id, m.seq FROM messages m LEFT JOIN threads h ON h.id = m.thread_id
  WHERE m.channel_id IN (${chosenChannels}) AND m.deleted_at IS NULL AND h.deleted_at IS NULL`;

const inWorkspace = 'SELECT id FROM workspaces WHERE server_id = $1';

const chosen = 'SELECT id FROM chosen';

/** The ids of everyone referenced in an export: members, former members who wrote, owners of bots. */
export const people = `WITH chosen AS MATERIALIZED (${chosenChannels}), named AS (
    SELECT owner_id AS id FROM servers WHERE id = $1
    UNION SELECT user_id FROM server_members WHERE server_id = $1
    UNION SELECT user_id FROM server_bans WHERE server_id = $1
    UNION SELECT banned_by FROM server_bans WHERE server_id = $1
    UNION SELECT user_id FROM server_timeouts WHERE server_id = $1 AND until > now()
    UNION SELECT timed_out_by FROM server_timeouts WHERE server_id = $1 AND until > now()
    UNION SELECT created_by FROM server_filters WHERE server_id = $1
    UNION SELECT created_by FROM channels WHERE id IN (${chosen})
    UNION SELECT h.user_id FROM hooks h JOIN channels c ON c.id = h.channel_id WHERE c.server_id = $1
    UNION SELECT h.created_by FROM hooks h JOIN channels c ON c.id = h.channel_id WHERE c.server_id = $1
    UNION SELECT user_id FROM channel_members WHERE channel_id IN (${chosen})
    UNION SELECT user_id FROM channel_overrides WHERE channel_id IN (${chosen})
    UNION SELECT user_id FROM channel_reads WHERE channel_id IN (${chosen})
    UNION SELECT user_id FROM join_requests WHERE server_id = $1
    UNION SELECT decided_by FROM join_requests WHERE server_id = $1
    UNION SELECT a.user_id FROM agents a JOIN agent_policies p ON p.agent_id = a.id WHERE p.server_id = $1
    UNION SELECT a.user_id FROM agents a JOIN command_rules r ON r.agent_id = a.id WHERE r.server_id = $1
    UNION SELECT h.user_id FROM command_rule_holders h JOIN command_rules r ON r.id = h.rule_id WHERE r.server_id = $1
    UNION SELECT creator_id FROM threads WHERE channel_id IN (${chosen})
    UNION SELECT f.user_id FROM thread_follows f JOIN threads t ON t.id = f.thread_id WHERE t.channel_id IN (${chosen})
    UNION SELECT author_id FROM messages WHERE channel_id IN (${chosen})
    UNION SELECT author_id FROM message_forwards WHERE channel_id IN (${chosen})
    UNION SELECT r.user_id FROM reactions r JOIN messages m ON m.id = r.message_id WHERE m.channel_id IN (${chosen})
    UNION SELECT v.user_id FROM poll_votes v JOIN polls p ON p.message_id = v.message_id AND NOT p.anonymous
      WHERE p.channel_id IN (${chosen})
    UNION SELECT created_by FROM server_emoji WHERE server_id = $1
    UNION SELECT a.uploader_id FROM attachments a JOIN messages m ON m.id = a.message_id WHERE m.channel_id IN (${chosen})
    UNION SELECT created_by FROM workspace_nodes WHERE workspace_id IN (${inWorkspace})
    UNION SELECT u.id FROM workspace_nodes n JOIN users u ON u.id = n.content_by WHERE n.workspace_id IN (${inWorkspace})
    UNION SELECT saved_by FROM workspace_versions WHERE workspace_id IN (${inWorkspace})
    UNION SELECT created_by FROM apps WHERE server_id = $1
  ) SELECT id FROM named WHERE id IS NOT NULL
  UNION SELECT owner_id FROM agents WHERE user_id IN (SELECT id FROM named)`;

/** The condition that something of an export shows picture `t`. */
export const shownPictures = `'/media/' || t.name || '.webp' IN (
    SELECT avatar_url FROM users WHERE id IN (${people})
    UNION SELECT icon_url FROM servers WHERE id = $1 UNION SELECT banner_url FROM servers WHERE id = $1
    UNION SELECT icon_url FROM apps WHERE server_id = $1 UNION SELECT url FROM server_emoji WHERE server_id = $1)`;

/** The contents referenced in an export, each once. */
export const contents = `SELECT b.id, b.hash, b.size FROM blobs b WHERE b.id IN (
    SELECT a.blob_id FROM attachments a JOIN (${liveMessages}) m ON m.id = a.message_id
    UNION SELECT blob_id FROM workspace_nodes WHERE workspace_id IN (${inWorkspace}) AND blob_id IS NOT NULL
    UNION SELECT blob_id FROM workspace_versions WHERE workspace_id IN (${inWorkspace})
    UNION SELECT f.blob_id FROM app_files f JOIN apps a ON a.id = f.app_id AND a.version = f.version WHERE a.server_id = $1
    UNION SELECT t.blob_id FROM pictures t WHERE ${shownPictures}
  ) ORDER BY b.hash`;
