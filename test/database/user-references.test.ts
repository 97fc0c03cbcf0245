// nodes: own

import { expect } from 'chai';
import { sharedCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';

/** What becomes of a column when an account is deleted, or why it stays. */
type Decision = 'deleted' | 'anonymised' | 'not of users' | `kept because ${string}`;

const madeIt = 'kept because it belongs to the server or the talk, and says who made it only by an id';
const written = 'kept because it is what was written, unless that is erased on request';
const bot = 'deleted';

/** By table and column: those that hold a user's id, may hold one in JSON, hold a person's data, or refer to a blob. */
const decisions: Record<string, Decision> = {};
const decide = (decision: Decision, ...columns: string[]) => {
  for (const column of columns) decisions[column] = decision;
};
decide(
  'anonymised',
  'users.username',
  'users.username_key',
  'users.name_skeleton',
  'users.email',
  'users.claimed_email',
  'users.display_name',
);
decide('anonymised', 'users.avatar_url', 'messages.author_id');
decide('deleted', 'sessions.user_id', 'sessions.user_agent', 'sessions.device_name', 'sessions.ip_address');
decide('deleted', 'personal_tokens.user_id', 'personal_tokens.made_by', 'model_tokens.user_id', 'model_tokens.made_by');
decide('deleted', 'model_tokens.models', 'oauth_accounts.user_id', 'oauth_accounts.made_by');
decide('deleted', 'oauth_accounts.provider_email', 'oauth_states.link_to', 'oauth_states.made_by');
decide('deleted', 'oauth_apps.owner_id', 'oauth_codes.user_id', 'oauth_codes.made_by');
decide('deleted', 'oauth_devices.user_id', 'oauth_devices.made_by', 'oauth_codes.scope', 'oauth_devices.scope');
decide('not of users', 'oauth_devices.device_hash', 'oauth_devices.user_code_hash');
decide('not of users', 'personal_tokens.app_id', 'oauth_codes.token_id');
decide('deleted', 'password_resets.user_id', 'email_verifications.user_id', 'email_codes.email', 'mailed_codes.email');
decide('deleted', 'totp_factors.user_id', 'recovery_codes.user_id', 'passkeys.user_id', 'passkey_challenges.user_id');
decide('deleted', 'sign_in_tickets.user_id', 'account_exports.user_id', 'account_exports.blob_id');
decide('deleted', 'former_usernames.user_id', 'former_usernames.username', 'former_usernames.username_key');
decide('deleted', 'former_usernames.name_skeleton', 'known_devices.user_id', 'known_devices.device');
decide('deleted', 'security_notices.user_id', 'security_notices.email', 'security_notices.device');
decide('deleted', 'email_changes.user_id', 'email_changes.email', 'email_changes.old_email');
decide('deleted', 'idempotency_keys.user_id', 'idempotency_keys.key', 'idempotency_keys.answer');
decide('deleted', 'invite_codes.created_by', 'invite_codes.used_by', 'presence_wishes.user_id');
decide('deleted', 'friendships.low_id', 'friendships.high_id', 'friendships.requester_id');
decide('deleted', 'blocks.user_id', 'blocks.blocked_id', 'handovers.from_id', 'handovers.to_id');
decide('deleted', 'notifications.user_id', 'notifications.sender_id', 'notifications.scope');
decide('deleted', 'notification_preferences.user_id', 'notification_preferences.muted_server_ids');
decide('deleted', 'notification_preferences.muted_channel_ids', 'channel_reads.user_id');
decide('deleted', 'thread_follows.user_id', 'channel_levels.user_id', 'server_levels.user_id');
decide('deleted', 'channel_favorites.user_id');
decide('deleted', 'notification_preferences.mute_ends');
decide('deleted', 'notification_keywords.user_id', 'notification_preferences.quiet_hours', 'digests.user_id');
decide('deleted', 'push_subscriptions.user_id', 'push_preferences.user_id');
decide('deleted', 'mcp_subscriptions.user_id');
decide('not of users', 'pushed_notifications.notification_id', 'mcp_subscriptions.session_id');
decide('deleted', 'server_members.user_id', 'server_members.nickname', 'server_bans.user_id', 'join_requests.user_id');
decide('deleted', 'held_messages.author_id', 'held_messages.metadata');
decide('deleted', 'saved_items.user_id', 'scheduled_messages.user_id', 'scheduled_messages.metadata', 'drafts.user_id');
decide('deleted', 'custom_statuses.user_id', 'read_receipt_choices.user_id', 'held_messages.forward');
decide('anonymised', 'message_forwards.author_id');
decide(written, 'message_forwards.mentions', 'message_forwards.attachment_ids');
decide('not of users', 'message_forwards.message_id', 'message_forwards.source_id');
decide('not of users', 'saved_items.message_id', 'saved_items.channel_id');
decide(
  'not of users',
  'scheduled_messages.channel_id',
  'scheduled_messages.thread_id',
  'scheduled_messages.reply_to_id',
);
decide('not of users', 'digests.job_id', 'cluster_nodes.vitals');
decide('not of users', 'drafts.place_id', 'drafts.thread_id', 'drafts.reply_to_id', 'drafts.file_ids');
decide(
  'kept because it says who wrote and stopped a reply, by ids alone, and goes within a day',
  'reply_streams.user_id',
  'reply_streams.stopped_by',
);
decide('not of users', 'reply_streams.thread_id');
decide('not of users', 'reply_streams.reply_to_id');
decide('deleted', 'servers.owner_id', 'server_timeouts.user_id', 'member_roles.user_id', 'channel_overrides.user_id');
decide('deleted', 'command_rule_holders.user_id');
decide(bot, 'agents.user_id', 'agents.owner_id', 'agents.config', 'agents.slash_commands', 'agents.usage_snapshot');
decide(bot, 'agent_policies.config', 'agent_policies.owner_half', 'agent_policies.server_half');
decide(bot, 'agent_feeds.stream_id', 'rehearsal_feeds.stream_id');
decide('not of users', 'rehearsal_sends.thread_id', 'rehearsal_sends.reply_to_id');
decide(bot, 'agent_tokens.made_by', 'webhooks.made_by', 'webhook_cursors.stream_id', 'webhook_cursors.lease');
decide(madeIt, 'channels.created_by', 'threads.creator_id', 'apps.created_by', 'workspace_nodes.created_by');
decide(madeIt, 'workspace_nodes.content_by', 'workspace_versions.saved_by');
decide('anonymised', 'server_invites.created_by');
decide(madeIt, 'server_invites.revoked_by', 'server_members.invited_by');
decide('kept because the next joins replace it', 'server_raids.recent_ids');
decide(madeIt, 'server_filters.created_by', 'held_messages.decided_by');
decide(madeIt, 'server_bans.banned_by', 'join_requests.decided_by', 'reactions.user_id', 'attachments.uploader_id');
decide('not of users', 'slow_mode_turns.channel_id');
decide(madeIt, 'server_timeouts.timed_out_by');
decide('kept because it says when someone last wrote, and goes within hours', 'slow_mode_turns.user_id');
decide(written, 'messages.metadata', 'messages.mentions', 'messages.mentioned_bots', 'attachments.blob_id');
decide(written, 'messages.previews', 'attachments.thumbnail_blob_id');
decide('not of users', 'link_pages.preview', 'link_page_waits.message_id', 'link_page_waits.channel_id');
decide(
  'kept because a DM stays with the other one, who sees a deleted user',
  'dm_channels.low_id',
  'dm_channels.high_id',
);
decide('deleted', 'group_members.user_id');
decide('kept because in a DM it stays with the other one; of servers it is deleted', 'channel_members.user_id');
decide('kept because bills must still be explained, by an id alone', 'model_usage.user_id', 'model_usage.token_id');
decide('kept because it goes with its message, or within days', 'notification_sources.user_id');
decide(
  'kept because it goes when the server is left; of one left before, only an id stays',
  'workspace_viewers.user_id',
);
decide(
  'kept because events are dropped with their day; their own log is emptied',
  'log_entries.stream_id',
  'log_entries.data',
);
decide('kept because it is gone once it is run; mails are deleted', 'jobs.data', 'jobs.key');
decide('kept because the day hides who it was, and it goes after 30', 'former_names.look');
decide('deleted', 'reports.reporter_id');
decide('kept because a case says whom it was about, and who decided it, by ids alone', 'report_cases.about_id');
decide(
  'kept because a case is hidden from who answers for it, and says so by an id alone',
  'report_cases.responsible_id',
);
decide('kept because reports of a bot are hidden from who had it, and says so by an id alone', 'users.former_owner_id');
decide('kept because a case says whom it was about, and who decided it, by ids alone', 'report_cases.decided_by');
decide(
  'kept because it is what was reported, and goes some days after the decision; erased with the messages of its author',
  'report_cases.snapshot',
  'report_cases.authors',
);
decide('kept because a ban outlasts the account, or it would be lifted by deleting that', 'instance_bans.user_id');
decide('kept because it says which operator banned someone, by an id alone', 'instance_bans.banned_by');
decide('not of users', 'report_cases.object_id', 'report_cases.channel_id');
decide(
  'not of users',
  'messages.channel_id',
  'messages.thread_id',
  'messages.reply_to_id',
  'threads.parent_message_id',
  'message_versions.message_id',
);
decide('not of users', 'held_messages.message_id', 'held_messages.thread_id', 'held_messages.reply_to_id');
decide('not of users', 'notifications.reference_id', 'notifications.server_id', 'notifications.channel_id');
decide('not of users', 'notification_sources.message_id', 'log_entries.thread_id', 'moved_logs.stream_id');
decide(
  'kept because a picture of a server is its own; those that nothing shows are deleted',
  'pictures.uploader_id',
  'pictures.blob_id',
);
decide('not of users', 'search_words.message_id', 'search_words.channel_id', 'search_stale.message_id');
decide('not of users', 'server_members.invite_id', 'join_requests.invite_id');
// Its count stays, or it would say what someone chose in an anonymous poll.
decide('deleted', 'poll_votes.user_id');
decide('not of users', 'polls.message_id', 'reactions.emoji_id');
decide('deleted', 'held_messages.poll', 'held_messages.components');
decide(written, 'messages.components');
decide('anonymised', 'component_uses.user_id');
decide('deleted', 'interactions.user_id', 'ephemerals.user_id');
decide('deleted', 'interactions.given', 'interactions.form', 'interactions.command', 'ephemerals.key');
decide('not of users', 'component_uses.message_id', 'interactions.server_id', 'interactions.thread_id');
decide('not of users', 'interactions.message_id', 'interactions.parent_id');
decide('not of users', 'ephemerals.thread_id', 'ephemerals.reply_to_id');
decide(madeIt, 'server_emoji.created_by', 'hooks.created_by');
decide('not of users', 'hooks.user_id');
decide('deleted', 'storage_quotas.subject_id');
decide(
  'kept because it counts what stays of someone, by an id alone',
  'storage_usage.subject_id',
  'storage_changes.subject_id',
);
decide('not of users', 'attachments.server_id', 'pictures.server_id');
decide('not of users', 'workspace_versions.blob_id', 'workspace_stale.workspace_id', 'workspace_stale.node_id');
decide('not of users', 'workspace_nodes.blob_id', 'app_files.blob_id', 'blob_chunks.blob_id', 'personal_tokens.scope');
decide('not of users', 'blobs.object_id');

decide(
  'kept because who did what for a server stays known until its days are over, of people by an id alone',
  ...['audit_entries.actor_id', 'audit_entries.target_id', 'audit_entries.token_id'],
  ...['audit_entries.before', 'audit_entries.after'],
);
decide('not of users', 'audit_entries.server_id', 'audit_entries.channel_id');

decide('deleted', 'import_people.user_id', 'import_people.key');
decide('kept because it says whose address a placeholder had, by an id alone', 'import_people.candidate_id');
decide(
  'kept because it is what an operator is taking over: nothing of it is left once that is finished or ended',
  ...['import_records.key', 'import_records.data'],
);
decide('kept because it says whose a new server was to be, by an id alone', 'imports.choices');
decide('not of users', 'imports.report');
decide('not of users', 'import_channels.channel_id', 'import_channels.key');

const references = `
  WITH referring AS (
    SELECT c.conrelid, k.attnum, c.confrelid FROM pg_constraint c CROSS JOIN unnest(c.conkey) AS k (attnum)
    WHERE c.contype = 'f'
  )
  SELECT t.relname || '.' || a.attname AS name
  FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN referring r ON r.conrelid = t.oid AND r.attnum = a.attnum
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
    AND CASE WHEN r.confrelid IS NOT NULL THEN r.confrelid IN ('users'::regclass, 'blobs'::regclass)
      ELSE a.atttypid IN ('json'::regtype, 'jsonb'::regtype, 'uuid[]'::regtype)
        OR a.atttypid = 'uuid'::regtype AND a.attname <> 'id'
        OR a.atttypid = 'text'::regtype AND a.attname ~ '${'email|user|display|nickname|skeleton|scope|ip_address|avatar|device|look'}|^key$'
    END
  ORDER BY 1`;

/** Whoever adds a column that refers to users decides what the deletion of an account does to it (features/account-deletion). */
describe('the deletion of an account', () => {
  it('has a decision for every column that refers to users, and for none that is gone', async () => {
    const { databaseUrl } = await sharedCluster();
    const columns = await withRows(databaseUrl, (rows) => rows<{ name: string }>(references));
    const names = columns.map(({ name }) => name);
    expect(names.filter((name) => !(name in decisions))).to.deep.equal([]);
    expect(Object.keys(decisions).filter((name) => !names.includes(name))).to.deep.equal([]);
  });
});
