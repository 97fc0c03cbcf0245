// nodes: own

import { expect } from 'chai';
import { columnOf } from '../../src/cli/transfer/part.ts';
import { parts } from '../../src/cli/transfer/parts.ts';
import { sharedCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';

/** Columns that an export leaves out: secrets, what is counted anew, what says that a row is gone, what the log stood at, what a trigger sets. */
const leftOut: Record<string, string[]> = {
  // Proven and suspended is someone in one installation; a file can say anything.
  users: [
    ...['username_key', 'name_skeleton', 'claimed_email', 'password_hash', 'email_verified_at', 'suspended_at'],
    ...['suspension_reason', 'deletes_at', 'erases_messages', 'second_factor_at'],
    ...['suspended_until', 'is_operator', 'former_owner_id'],
    // Of single people, as their notifications are.
    ...['language', 'time_zone', 'hour_cycle', 'theme'],
  ],
  // Nobody has a factor in another installation yet: all roles would be held back there.
  servers: ['member_count', 'require_second_factor', 'roles_version', 'is_watched'],
  // Links are of one installation, with their codes; whether joins are held is decided anew.
  server_members: ['invite_id'],
  server_raids: ['forced', 'since', 'exceeded_at', 'recent_at', 'recent_ids'],
  join_requests: ['held', 'invite_id'],
  // It follows from what was typed.
  server_filters: ['form'],
  // Nothing up to there is left: the first step in the other installation finds that.
  channels: ['deleted_at', 'view_overridden', 'expired_seq', 'is_watched'],
  threads: ['message_count', 'deleted_at', 'last_seq'],
  thread_follows: ['is_unread'],
  // What a bot had read is a position in the log of one installation.
  messages: ['search', 'sent_key', 'mentioned_bots', 'has_extras', 'answers_to', 'answers_within', 'answers_use'],
  agent_policies: ['revision'],
  // Files of what waits for a moderator stay, as that does.
  // Thumbnails are made anew.
  // What is stored is counted anew.
  attachments: ['held_id', 'scheduled_id', 'thumbnail_blob_id', 'server_id', 'is_counted'],
  workspace_nodes: ['is_counted'],
  app_files: ['is_counted'],
  // They are made anew where they go; what was delivered is a matter of the log here.
  webhooks: ['secret', 'previous_secret', 'previous_until', 'state', 'stopped_at', 'made_by'],
  hooks: ['token_hash', 'secret'],
  // It follows from the kind.
  notifications: ['type'],
  // It follows from the members.
  group_channels: ['people'],
  // A channel is told anew.
  polls: ['told_at', 'untold_since'],
  pictures: ['unused_since', 'check_at', 'server_id', 'is_counted'],
  workspaces: ['folder_count', 'file_count', 'total_bytes', 'version_bytes'],
};

/** Tables of which nothing leaves: of single people, of the installation, or for a moment. */
const staying = [
  ...['agent_tokens', 'sessions', 'used_refresh_tokens', 'personal_tokens', 'email_codes', 'password_resets'],
  'email_verifications',
  'mailed_codes',
  'email_changes',
  'account_exports',
  'slow_mode_turns',
  // Given to a bot for some days.
  'command_files',
  ...['former_names', 'handovers', 'server_invites', 'held_messages'],
  // They are of single people, as their notifications are.
  ...['saved_items', 'scheduled_messages', 'drafts'],
  ...['report_cases', 'reports', 'instance_bans', 'banned_addresses'],
  // What was done in one installation; another could not vouch for it.
  'audit_entries',
  ...['former_usernames', 'known_devices', 'security_notices'],
  ...['totp_factors', 'recovery_codes', 'passkeys', 'passkey_challenges', 'sign_in_tickets'],
  // Apps, and what people allow them, are of one installation.
  ...['oauth_apps', 'oauth_codes', 'oauth_devices', 'used_app_tokens'],
  ...['oauth_accounts', 'oauth_states', 'invite_codes', 'model_tokens', 'model_usage', 'idempotency_keys'],
  ...['friendships', 'presence_wishes', 'workspace_viewers'],
  ...['custom_statuses', 'read_receipt_choices'],
  ...[
    'jobs',
    'notification_jobs',
    'notification_preferences',
    'notification_keywords',
    'digests',
    // Of devices and people of one installation.
    ...['push_subscriptions', 'pushed_notifications', 'push_preferences', 'mcp_subscriptions'],
    'log_entries',
    // Which nodes there are.
    'cluster_nodes',
    'invalidations',
    'moved_logs',
    'migrations',
  ],
  // Of single people, for a week at most; who used what can be used once belongs to those who are here.
  ...['interactions', 'ephemerals', 'component_uses'],
  // In progress for moments; what comes of them is a message.
  'reply_streams',
  // Positions in logs, of webhooks whose owners set them going anew.
  ...['webhook_rooms', 'webhook_cursors', 'webhook_deliveries'],
  // Positions in logs, and what a bot would have said: nothing that members see.
  ...['agent_feeds', 'rehearsals', 'rehearsal_feeds', 'rehearsal_sends'],
  // What is known of outside pages is fetched anew; messages bring their previews.
  ...['link_pages', 'link_page_waits'],
  // What was taken over from other products leaves as messages of the server.
  ...['imports', 'import_records', 'import_people', 'import_channels'],
  // They are made anew of the messages.
  ...['search_words', 'search_progress', 'search_stale'],
  // The same of files.
  ...['workspace_words', 'workspace_stale'],
  // What is stored is counted anew, and bounded by another operator.
  ...['storage_usage', 'storage_changes', 'storage_quotas', 'storage_backfills'],
  // These come along, in another form.
  ...['streams', 'blobs', 'blob_chunks'],
  // Where this installation keeps bytes that nobody needs any more.
  'loose_objects',
];

/** Whoever adds a table or a column has to decide whether it moves with its server. */
describe('an export', () => {
  it('knows every table, and has every column of those it takes', async () => {
    const { databaseUrl } = await sharedCluster();
    const columns = await withRows(databaseUrl, (rows) =>
      rows<{ table: string; column: string }>(
        `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = 'public' AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(table_name))
         ORDER BY 1, 2`,
      ),
    );
    const forgotten = columns.filter(({ table, column }) => {
      const taking = parts.filter((candidate) => candidate.table === table);
      if (taking.length === 0) return !staying.includes(table);
      const fields = taking
        .flatMap(({ shape }) => Object.keys(shape.shape))
        .map((field) => (field === 'sha256' ? 'blob_id' : columnOf(field)));
      return ![...fields, ...(leftOut[table] ?? [])].includes(column);
    });
    expect(forgotten).to.deep.equal([]);
  });
});
