import { selectMayRead } from '../../access/channel.table.ts';
import { agents } from './agent.table.ts';
import { decided } from './decided.table.ts';
import { expressions } from './expression.table.ts';
import { later } from './later.table.ts';
import { type Section, section, textSection } from './section-page.table.ts';

const other = (id: string) =>
  `(SELECT username FROM users o WHERE o.id = ${id}) AS username, (SELECT display_name FROM users o WHERE o.id = ${id}) AS "displayName"`;
const otherFriend = 'CASE WHEN f.low_id = $1 THEN f.high_id ELSE f.low_id END';

/** The account itself: what its owner gave, and what was decided about it. No hash, and nothing that opens it. */
const profile = section(
  'profile',
  'Profile',
  `u.id, u.username, u.display_name AS "displayName", coalesce(u.email, u.claimed_email) AS email, u.email_verified_at AS "emailVerifiedAt",
   u.avatar_url AS "avatarUrl", u.tier, u.password_hash IS NOT NULL AS "hasPassword", u.created_at AS "createdAt",
   u.updated_at AS "updatedAt", u.suspended_at AS "suspendedAt", u.suspension_reason AS "suspensionReason", u.suspended_until AS "suspendedUntil",
   u.is_operator AS "isOperator", u.language, u.time_zone AS "timeZone",
   u.hour_cycle AS "hourCycle", u.theme`,
  'users u WHERE u.id = $1',
  'u.id',
);

const account: Section[] = [
  profile,
  section(
    'sessions',
    'Where you are signed in',
    `s.id, s.device_name AS "deviceName", s.user_agent AS "userAgent", s.ip_address AS "ipAddress",
     s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt", s.attended_at AS "attendedAt",
     s.confirmed_at AS "confirmedAt",
     s.refresh_expires_at AS "expiresAt", s.revoked_at AS "revokedAt"`,
    'sessions s WHERE s.user_id = $1',
    's.id',
  ),
  section(
    'access-tokens',
    'Personal access tokens',
    `t.id, t.name, t.scope, t.created_at AS "createdAt", t.expires_at AS "expiresAt", t.last_used_at AS "lastUsedAt",
     t.revoked_at AS "revokedAt"`,
    'personal_tokens t WHERE t.user_id = $1',
    't.id',
  ),
  section(
    'passkeys',
    'Passkeys',
    'k.id, k.name, k.created_at AS "createdAt", k.last_used_at AS "lastUsedAt"',
    'passkeys k WHERE k.user_id = $1',
    'k.id',
  ),
  section(
    'authenticator-app',
    'Your authenticator app',
    'f.created_at AS "createdAt", f.confirmed_at AS "confirmedAt"',
    'totp_factors f WHERE f.user_id = $1',
    'f.user_id',
  ),
  section(
    'former-usernames',
    'Your former usernames, while they are reserved for you',
    'n.id, n.username, n.kept_until AS "keptUntil"',
    'former_usernames n WHERE n.user_id = $1',
    'n.id',
  ),
  section(
    'known-devices',
    'Devices and networks that you signed in from',
    'd.id, d.device, d.place, d.seen_at AS "seenAt"',
    'known_devices d WHERE d.user_id = $1',
    'd.id',
  ),
  section(
    'security-notices',
    'Mails about sign-ins and changes',
    'n.id, n.kind, n.detail, n.device, n.place, n.email, n.created_at AS "createdAt", n.mailed_at AS "mailedAt"',
    'security_notices n WHERE n.user_id = $1',
    'n.id',
  ),
  section(
    'linked-accounts',
    'Linked accounts',
    'a.id, a.provider, a.subject, a.provider_email AS "providerEmail", a.created_at AS "createdAt"',
    'oauth_accounts a WHERE a.user_id = $1',
    'a.id',
  ),
  section(
    'registered-apps',
    'Apps you develop',
    'a.id, a.name, a.website, a.redirect_uris AS "redirectUris", a.created_at AS "createdAt"',
    'oauth_apps a WHERE a.owner_id = $1',
    'a.id',
  ),
  section(
    'address-changes',
    'Changes of your e-mail address',
    `c.id, c.email, c.old_email AS "oldEmail", c.changed_at AS "changedAt", c.expires_at AS "expiresAt"`,
    'email_changes c WHERE c.user_id = $1',
    'c.id',
  ),
  section(
    'model-tokens',
    'Tokens for models',
    `m.id, m.runtime_id AS "runtimeId", m.template_slug AS "templateSlug", m.models, m.created_at AS "createdAt",
     m.expires_at AS "expiresAt"`,
    'model_tokens m WHERE m.user_id = $1',
    'm.id',
  ),
  textSection(
    'model-usage',
    'Use of models',
    `to_char(m.day, 'YYYY-MM-DD') AS day, m.token_id AS "tokenId", m.model, m.requests,
     m.prompt_tokens AS "promptTokens", m.completion_tokens AS "completionTokens"`,
    'model_usage m WHERE m.user_id = $1',
    `to_char(m.day, 'YYYY-MM-DD') || ' ' || m.token_id || ' ' || m.model`,
  ),
];

const settings: Section[] = [
  section(
    'notification-preferences',
    'Notification settings',
    `p.strategy, p.muted_server_ids AS "mutedServerIds", p.muted_channel_ids AS "mutedChannelIds",
     p.quiet_hours AS "quietHours", p.snoozed_until AS "snoozedUntil", p.digest_minutes AS "digestMinutes",
     p.mute_ends AS "mutedUntil",
     (SELECT g.sent_at FROM digests g WHERE g.user_id = $1) AS "lastDigestAt"`,
    'notification_preferences p WHERE p.user_id = $1',
    'p.user_id',
  ),
  section('push-preferences', 'Push settings', 'p.preview', 'push_preferences p WHERE p.user_id = $1', 'p.user_id'),
  section('status', 'Your status', 'w.status', 'presence_wishes w WHERE w.user_id = $1', 'w.user_id'),
  section(
    'custom-status',
    'Your custom status',
    's.emoji, s.text, s.until, s.changed_at AS "changedAt"',
    'custom_statuses s WHERE s.user_id = $1',
    's.user_id',
  ),
  section('read-receipts', 'Read receipts', 'c.since', 'read_receipt_choices c WHERE c.user_id = $1', 'c.user_id'),
  section(
    'notifications',
    'Notifications',
    `n.id, n.type, n.kind, n.title, n.body, n.reference_type AS "referenceType", n.reference_id AS "referenceId",
     n.sender_id AS "senderId", n.server_id AS "serverId", n.channel_id AS "channelId",
     n.aggregated_count AS "aggregatedCount", n.read_at AS "readAt", n.created_at AS "createdAt",
     n.updated_at AS "updatedAt"`,
    'notifications n WHERE n.user_id = $1',
    'n.id',
  ),
];

const places: Section[] = [
  section(
    'memberships',
    'Your servers',
    `m.server_id AS "serverId", s.name, s.slug, m.role, s.owner_id = $1 AS "isOwner", m.nickname,
     ARRAY(SELECT r.name FROM member_roles h JOIN server_roles r ON r.id = h.role_id
       WHERE h.user_id = $1 AND h.server_id = m.server_id ORDER BY r.position DESC) AS roles,
     m.joined_at AS "joinedAt"`,
    'server_members m JOIN servers s ON s.id = m.server_id WHERE m.user_id = $1',
    'm.server_id',
  ),
  // A channel that they may not read any more may have another name by now, which is not for them.
  section(
    'channel-memberships',
    'Channels that you were added to or removed from',
    `m.channel_id AS "channelId", c.server_id AS "serverId", CASE WHEN ${selectMayRead('$1')} THEN c.name END AS name,
     m.excluded AS "isRemoved", m.joined_at AS "joinedAt"`,
    `channel_members m JOIN channels c ON c.id = m.channel_id
     WHERE m.user_id = $1 AND c.kind = 'server' AND c.deleted_at IS NULL`,
    'm.channel_id',
  ),
  section(
    'read-positions',
    'How far you have read',
    'r.channel_id AS "channelId", r.last_read_seq AS "lastReadSeq"',
    'channel_reads r WHERE r.user_id = $1',
    'r.channel_id',
  ),
  section(
    'join-requests',
    'Your join requests',
    `j.id, j.server_id AS "serverId", j.channel_id AS "channelId", j.status, j.created_at AS "createdAt",
     j.updated_at AS "updatedAt"`,
    'join_requests j WHERE j.user_id = $1',
    'j.id',
  ),
  section(
    'bans',
    'Servers you are banned from',
    'b.id, b.server_id AS "serverId", b.reason, b.until AS "bannedUntil", b.created_at AS "createdAt"',
    'server_bans b WHERE b.user_id = $1',
    'b.id',
  ),
  section(
    'timeouts',
    'Servers you are timed out in',
    't.server_id AS "serverId", t.reason, t.until AS "timedOutUntil", t.created_at AS "createdAt"',
    'server_timeouts t WHERE t.user_id = $1',
    't.server_id',
  ),
  section(
    'held-messages',
    'Your messages that were held or rejected',
    `h.id, h.server_id AS "serverId", h.channel_id AS "channelId", h.thread_id AS "threadId", h.kind,
     h.message_id AS "messageId", h.reply_to_id AS "replyToId", h.content, h.previous_content AS "previousContent",
     h.metadata, h.poll, h.forward, h.status, h.created_at AS "createdAt", h.decided_at AS "decidedAt"`,
    `held_messages h WHERE h.author_id = $1 AND h.status IN ('waiting', 'rejected')`,
    'h.id',
  ),
  section(
    'invite-codes',
    'Invite codes you created',
    `i.id, i.code, i.note, i.is_active AS "isActive", i.used_by AS "usedBy", i.used_at AS "usedAt",
     i.created_at AS "createdAt"`,
    'invite_codes i WHERE i.created_by = $1',
    'i.id',
  ),
  section(
    'invite-links',
    'Invite links you created',
    `i.id, i.code, i.server_id AS "serverId", i.channel_id AS "channelId", i.max_uses AS "maxUses", i.uses,
     i.created_at AS "createdAt", i.expires_at AS "expiresAt", i.revoked_at AS "revokedAt"`,
    'server_invites i WHERE i.created_by = $1',
    'i.id',
  ),
  section(
    'redeemed-invite-codes',
    'Invite codes you redeemed',
    'i.id, i.code, i.used_at AS "usedAt"',
    'invite_codes i WHERE i.used_by = $1',
    'i.id',
  ),
];

const people: Section[] = [
  section(
    'friends',
    'Friends and friend requests',
    `f.id, ${otherFriend} AS "userId", ${other(otherFriend)}, f.status, f.requester_id = $1 AS "isByYou",
     f.created_at AS "createdAt", f.updated_at AS "updatedAt"`,
    'friendships f WHERE (f.low_id = $1 OR f.high_id = $1)',
    'f.id',
  ),
  section(
    'handovers',
    'Servers and bots that you offered or were offered',
    `h.id, h.server_id AS "serverId", h.agent_id AS "agentId", h.from_id AS "fromId", h.to_id AS "toId",
     h.created_at AS "createdAt", h.expires_at AS "expiresAt"`,
    'handovers h WHERE (h.from_id = $1 OR h.to_id = $1)',
    'h.id',
  ),
  section(
    'blocks',
    'People you have blocked',
    `b.blocked_id AS "userId", ${other('b.blocked_id')}, b.created_at AS "createdAt"`,
    'blocks b WHERE b.user_id = $1',
    'b.blocked_id',
  ),
];

/** All of them, in the order in which they are shown. */
export const sections: Section[] = [
  ...[...account, ...settings, ...places, ...people, ...later, ...decided, ...agents],
  ...expressions,
];
