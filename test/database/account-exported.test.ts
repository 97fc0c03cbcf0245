// nodes: own

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { sharedCluster } from '../world/nodes.ts';
import { withRows } from '../world/sql.ts';

const folder = path.resolve(import.meta.dirname, '../../src/features/account-export');
const tables = ['section', 'agent', 'later', 'expression', 'decided', 'talk', 'file'].map((name) =>
  readFileSync(path.join(folder, `${name}.table.ts`), 'utf8'),
);
const statements = tables.join('\n');

/** By which column the export of an account finds what is somebody's, with the words of its statement. */
const exported: Record<string, string> = {
  'agents.owner_id': 'a.owner_id = $1',
  'agents.user_id': 'u.id = a.user_id',
  'apps.created_by': 'p.created_by = $1',
  'attachments.uploader_id': 'a.uploader_id = $1',
  'blocks.blocked_id': 'b.blocked_id',
  'blocks.user_id': 'b.user_id = $1',
  'channel_members.user_id': 'm.user_id = $1 AND c.kind',
  'channel_reads.user_id': 'r.user_id = $1',
  'drafts.user_id': 'drafts d WHERE d.user_id = $1',
  'saved_items.user_id': 'saved_items l WHERE l.user_id = $1',
  'scheduled_messages.user_id': 'scheduled_messages m WHERE m.user_id = $1',
  'dm_channels.high_id': 'd.high_id = $1',
  'dm_channels.low_id': 'd.low_id = $1',
  'email_changes.user_id': 'c.user_id = $1',
  'former_usernames.user_id': 'former_usernames n WHERE n.user_id = $1',
  'friendships.high_id': 'f.high_id = $1',
  'friendships.low_id': 'f.low_id = $1',
  'friendships.requester_id': 'f.requester_id = $1',
  'group_members.user_id': 'g.user_id = $1',
  'handovers.from_id': 'h.from_id = $1',
  'handovers.to_id': 'h.to_id = $1',
  'held_messages.author_id': 'h.author_id = $1',
  'invite_codes.created_by': 'i.created_by = $1',
  'invite_codes.used_by': 'i.used_by = $1',
  'instance_bans.user_id': 'instance_bans b WHERE b.user_id = $1',
  'join_requests.user_id': 'j.user_id = $1',
  'known_devices.user_id': 'known_devices d WHERE d.user_id = $1',
  'member_roles.user_id': 'h.user_id = $1',
  'messages.author_id': 'author_id = $1',
  'model_tokens.user_id': 'model_tokens m WHERE m.user_id = $1',
  'model_usage.user_id': 'model_usage m WHERE m.user_id = $1',
  'notification_preferences.user_id': 'p.user_id = $1',
  'notifications.user_id': 'n.user_id = $1',
  'oauth_accounts.user_id': 'oauth_accounts a WHERE a.user_id = $1',
  'oauth_apps.owner_id': 'oauth_apps a WHERE a.owner_id = $1',
  'passkeys.user_id': 'passkeys k WHERE k.user_id = $1',
  'personal_tokens.user_id': 'personal_tokens t WHERE t.user_id = $1',
  'pictures.uploader_id': 'pictures p WHERE p.uploader_id = $1',
  'presence_wishes.user_id': 'w.user_id = $1',
  'push_preferences.user_id': 'push_preferences p WHERE p.user_id = $1',
  'custom_statuses.user_id': 'custom_statuses s WHERE s.user_id = $1',
  'read_receipt_choices.user_id': 'read_receipt_choices c WHERE c.user_id = $1',
  'report_cases.decided_by': 'report_cases c WHERE c.decided_by = $1',
  'reports.reporter_id': 'r.reporter_id = $1',
  'reactions.user_id': 'reactions r WHERE r.user_id = $1',
  'poll_votes.user_id': 'poll_votes v WHERE v.user_id = $1',
  'server_emoji.created_by': 'e.created_by = $1',
  'hooks.created_by': 'h.created_by = $1',
  'security_notices.user_id': 'security_notices n WHERE n.user_id = $1',
  'server_bans.user_id': 'server_bans b WHERE b.user_id = $1',
  'server_members.user_id': 'server_members m JOIN servers s',
  'server_invites.created_by': 'server_invites i WHERE i.created_by = $1',
  'server_timeouts.user_id': 'server_timeouts t WHERE t.user_id = $1',
  'servers.owner_id': 's.owner_id = $1',
  'sessions.user_id': 'sessions s WHERE s.user_id = $1',
  'thread_follows.user_id': 'thread_follows f JOIN threads t ON t.id = f.thread_id WHERE f.user_id = $1',
  'channel_levels.user_id': 'channel_levels l WHERE l.user_id = $1',
  'channel_favorites.user_id': 'channel_favorites v WHERE v.user_id = $1',
  'server_levels.user_id': 'server_levels l WHERE l.user_id = $1',
  'notification_keywords.user_id': 'notification_keywords k WHERE k.user_id = $1',
  'digests.user_id': 'digests g WHERE g.user_id = $1',
  'totp_factors.user_id': 'totp_factors f WHERE f.user_id = $1',
  'workspace_nodes.created_by': 'n.created_by = $1',
  'workspace_versions.saved_by': 'v.saved_by = $1',
};

/** What is left out, and why. */
const leftOut: Record<string, string> = {
  'channel_overrides.user_id': 'what a channel allows or denies someone is its server’s',
  'command_rule_holders.user_id': 'who may use a command is its server’s',
  'account_exports.user_id': 'the export itself',
  'channels.created_by': 'a channel is its server’s, whoever made it',
  'email_verifications.user_id': 'hashes of what was mailed',
  'component_uses.user_id': 'whether a button was pressed that can be pressed once; its message says what came of it',
  'interactions.user_id': 'what was pressed and typed for a bot, for a week; what came of it is exported as messages',
  'ephemerals.user_id': 'what a bot said to one person, for a day',
  'hooks.user_id': 'the bot user of an incoming webhook, which is nobody’s account',
  'idempotency_keys.user_id': 'answers to repeats, for a day: copies of the records',
  'held_messages.decided_by': 'an act for a server, in its moderators’ hands',
  'instance_bans.banned_by': 'an act for the installation, in its operators’ hands',
  'report_cases.about_id': 'what others reported, in the hands of those who decide',
  'report_cases.responsible_id': 'what others reported, in the hands of those who decide',
  'import_people.user_id': 'by which name an import knew someone; what they wrote there is exported as messages',
  'join_requests.decided_by': 'an act for a server, in its admins’ hands',
  'mcp_subscriptions.user_id': 'what an assistant is notified of, for a day without it; made anew when it connects',
  'message_forwards.author_id':
    'a copy is of whoever forwarded it, and in their export; one’s own messages are exported',
  'notification_sources.user_id': 'what notifications count; these are exported',
  'notifications.sender_id': 'of the other person’s notifications',
  'oauth_codes.user_id': 'hashes, for a minute',
  'oauth_devices.user_id': 'hashes, for minutes',
  'oauth_states.link_to': 'hashes, for minutes',
  'passkey_challenges.user_id': 'hashes, for minutes',
  'password_resets.user_id': 'hashes of what was mailed',
  'reply_streams.stopped_by': 'which reply of a bot was stopped, for a day; the message says that it was',
  'reply_streams.user_id': 'replies that bots are making; the messages are exported',
  'push_subscriptions.user_id': 'where pushes of a session go, with keys of the device; the session is exported',
  'recovery_codes.user_id': 'hashes of codes',
  'server_filters.created_by': 'an act for a server, in its admins’ hands',
  'server_bans.banned_by': 'an act for a server, in its admins’ hands',
  'server_timeouts.timed_out_by': 'an act for a server, in its admins’ hands',
  'server_invites.revoked_by': 'an act for a server, in its admins’ hands',
  'server_members.invited_by': 'of the other person’s membership; one’s links tell how often they were used',
  'sign_in_tickets.user_id': 'hashes, for minutes',
  'slow_mode_turns.user_id': 'when the last message was sent, for hours; the message is exported',
  'threads.creator_id': 'the name of a thread is its channel’s; the messages in it are exported',
  'workspace_nodes.content_by': 'whoever saved a file last; it is exported with those of whoever made it',
  'workspace_viewers.user_id': 'who looked at large workspaces lately: decides who is told of changes',
};

const selectColumns = `SELECT c.table_name || '.' || c.column_name AS name
  FROM information_schema.columns c
  WHERE c.table_schema = 'public' AND c.udt_name = 'uuid'
    AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = to_regclass(c.table_name))
    AND (
      c.column_name ~ '^(user|author|sender|owner|creator|uploader|requester|blocked|low|high)_id$|_by$|^link_to$'
      OR EXISTS (
        SELECT FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
        WHERE k.contype = 'f' AND k.confrelid = 'users'::regclass AND k.conrelid = to_regclass(c.table_name)
          AND a.attname = c.column_name))
  ORDER BY 1`;

/** Whoever adds a column that names a user has to decide whether it belongs to what people take along. */
describe('the export of an account', () => {
  it('has, or leaves out for a reason, everything that names a user', async () => {
    const { databaseUrl } = await sharedCluster();
    const columns = await withRows(databaseUrl, (rows) => rows<{ name: string }>(selectColumns));
    // A column that only has the name of what made a row, such as `made_by`, holds a session.
    const names = columns.map(({ name }) => name).filter((name) => !name.endsWith('.made_by'));
    expect(names.sort()).to.deep.equal([...Object.keys(exported), ...Object.keys(leftOut)].sort());
  });

  it('asks by those columns that it has', () => {
    const missing = Object.entries(exported).filter(([, words]) => !statements.includes(words));
    expect(missing).to.deep.equal([]);
  });
});
