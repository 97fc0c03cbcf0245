import { defineEntity, p } from '@mikro-orm/core';
import type { HourCycle, Theme } from '../../contract/appearance.ts';
import type { Language } from '../../contract/languages.ts';
import { dateNow } from '../../infrastructure/clock.ts';

/** A person or a bot. Deleted users keep their rows, so that their messages have an author. */
const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  indexes: [
    {
      name: 'users_username_prefix',
      expression: 'create index users_username_prefix on users (username_key text_pattern_ops)',
    },
    {
      name: 'users_display_words',
      expression: `create index users_display_words on users using gin (to_tsvector('simple'::regconfig, regexp_replace(display_name, '[^[:alnum:]]+', ' ', 'g')))`,
    },
    {
      name: 'users_look',
      expression: `create index users_look on users (coalesce(name_skeleton, replace(lower(translate(username, '01I', 'oll') collate "C"), 'm', 'rn'))) where deleted_at is null`,
    },
    {
      name: 'users_mailbox',
      expression: `create index users_mailbox on users ((case when email ~ '@(gmail|googlemail)[.]com$' then replace(split_part(split_part(email, '@', 1), '+', 1), '.', '') || '@gmail.com' when email ~ '@(outlook[.]com|hotmail[.]com|live[.]com|icloud[.]com|me[.]com|mac[.]com|fastmail[.]com|proton[.]me|protonmail[.]com|pm[.]me)$' then split_part(split_part(email, '@', 1), '+', 1) || '@' || split_part(email, '@', 2) else email end)) where email is not null`,
    },
    { name: 'users_operators', expression: 'create index users_operators on users (id) where is_operator' },
    { name: 'users_suspended_until', properties: ['suspendedUntil'], where: { suspendedUntil: { $ne: null } } },
    { name: 'users_claimed_email', properties: ['claimedEmail'], where: { claimedEmail: { $ne: null } } },
    {
      name: 'users_avatar_picture',
      expression: `create index users_avatar_picture on users (avatar_url) where avatar_url like '/media/%'`,
    },
    {
      name: 'users_unseen',
      expression: `create index users_unseen on users (id) where name_skeleton is null and (username collate "C") ~ '[^ -~]' and deleted_at is null`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    username: p.string().columnType('text'),
    /** The username, folded: usernames are unique case-insensitively. */
    usernameKey: p.string().columnType('text').unique(),
    /** What it looks like; null: unknown, or as SQL tells of plain ASCII (see usernames.table.ts of accounts). */
    nameSkeleton: p.string().columnType('text').nullable(),
    email: p.string().columnType('text').nullable().unique(),
    /** What it was made with while another account has the mailbox; its maker alone is shown it, as if it were theirs. */
    claimedEmail: p.string().columnType('text').nullable(),
    /** When the person proved to own the address; null: unproven, anyone may have given it. */
    emailVerifiedAt: p.datetime(3).nullable(),
    displayName: p.string().columnType('text'),
    avatarUrl: p.string().columnType('text').nullable(),
    isBot: p.boolean().default(false),
    /** Of a bot: who had it last before it was deleted or handed over. */
    formerOwnerId: p.uuid().nullable(),
    passwordHash: p.string().columnType('text').nullable(),
    tier: p.string().columnType('text'),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    deletedAt: p.datetime(3).nullable(),
    /** Set by the operator: all credentials of this account and its bots are refused. */
    suspendedAt: p.datetime(3).nullable(),
    suspensionReason: p.string().columnType('text').nullable(),
    /** When the suspension ends by itself; null: when it is lifted. */
    suspendedUntil: p.datetime(3).nullable(),
    /** Operates the installation from within (contract §3). */
    isOperator: p.boolean().default(false),
    /** When it is deleted, unless the person signs in before; null: it stays. */
    deletesAt: p.datetime(3).nullable(),
    /** Whether its messages go with it. */
    erasesMessages: p.boolean().default(false),
    /** When it got the first of its second factors; null: it has none, and signing in takes one thing alone. */
    secondFactorAt: p.datetime(3).nullable(),
    /** Of what is written to this person; null: not chosen yet. */
    language: p.string().columnType('text').$type<Language>().nullable(),
    /** The IANA name of the time zone by which times are written to this person; null: not chosen yet. */
    timeZone: p.string().columnType('text').nullable(),
    /** Whether times are written with 12 or 24 hours; null: as the language has it. */
    hourCycle: p.string().columnType('text').$type<HourCycle>().nullable(),
    /** The colours of the web client; null: as the device has it. */
    theme: p.string().columnType('text').$type<Theme>().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);

/** One sign-in on one device. */
const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  indexes: [
    { name: 'sessions_revoked', properties: ['revokedAt'], where: { revokedAt: { $ne: null } } },
    { name: 'sessions_refresh_expires', properties: ['refreshExpiresAt'] },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    deviceName: p.string().columnType('text').nullable(),
    userAgent: p.string().columnType('text').nullable(),
    ipAddress: p.string().columnType('text').nullable(),
    /** SHA-256 of the current refresh token. */
    refreshHash: p.string().columnType('text').unique(),
    refreshExpiresAt: p.datetime(3),
    createdAt: p.datetime(3).onCreate(dateNow),
    lastSeenAt: p.datetime(3).onCreate(dateNow),
    /** When its user was last at the device, as far as one knows (contract §9, Attention); at the latest as it began. */
    attendedAt: p.datetime(3).onCreate(dateNow).defaultRaw('now()'),
    revokedAt: p.datetime(3).nullable(),
    /** When its user gave a password, code or second factor again; null: only at its beginning. */
    confirmedAt: p.datetime(3).nullable(),
  },
});

export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);

/** A refresh token that has been exchanged: seen again, it is a repeat or a theft (contract §3). */
const UsedRefreshTokenSchema = defineEntity({
  name: 'UsedRefreshToken',
  tableName: 'used_refresh_tokens',
  indexes: [{ name: 'used_refresh_tokens_session', properties: ['sessionId', 'usedAt'] }],
  properties: {
    hash: p.string().columnType('text').primary(),
    sessionId: () => p.manyToOne(Session).mapToPk().fieldName('session_id').deleteRule('cascade').index(false),
    usedAt: p.datetime(3),
    /** Its successor, which only the used token can unseal; null once the grace period is over. */
    successor: p.string().columnType('text').nullable(),
  },
});

export class UsedRefreshToken extends UsedRefreshTokenSchema.class {}
UsedRefreshTokenSchema.setClass(UsedRefreshToken);

/** A token that a user created for their own program, or allowed an app (contract §3). */
const PersonalTokenSchema = defineEntity({
  name: 'PersonalToken',
  tableName: 'personal_tokens',
  indexes: [
    { name: 'personal_tokens_revoked', properties: ['revokedAt'], where: { revokedAt: { $ne: null } } },
    { name: 'personal_tokens_app', properties: ['appId', 'userId'], where: { appId: { $ne: null }, revokedAt: null } },
  ],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    name: p.string().columnType('text'),
    /** One or several, with spaces between them. */
    scope: p.string().columnType('text'),
    tokenHash: p.string().columnType('text').unique(),
    createdAt: p.datetime(3).onCreate(dateNow),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** The session that made it; null: made by an earlier version. */
    madeBy: p.uuid().nullable(),
    /** The app that it was allowed to, whose refresh token it then has the hash of; null: the person's own. */
    appId: p.uuid().nullable(),
  },
});

export class PersonalToken extends PersonalTokenSchema.class {}
PersonalTokenSchema.setClass(PersonalToken);

/** A link that sets a password once. */
const PasswordResetSchema = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    tokenHash: p.string().columnType('text').primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    expiresAt: p.datetime(3),
  },
});

export class PasswordReset extends PasswordResetSchema.class {}
PasswordResetSchema.setClass(PasswordReset);

/** The last mail that lets an account prove its address: a link and a code, each usable once. */
const EmailVerificationSchema = defineEntity({
  name: 'EmailVerification',
  tableName: 'email_verifications',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    tokenHash: p.string().columnType('text').unique(),
    /** Keyed with the JWT secret, as that of a sign-in code. */
    codeHash: p.string().columnType('text'),
    tries: p.integer().default(0),
    expiresAt: p.datetime(3),
  },
});

export class EmailVerification extends EmailVerificationSchema.class {}
EmailVerificationSchema.setClass(EmailVerification);

/** A change of an address: waits for its code, then for its end, until which the old address may undo it (contract §3). */
const EmailChangeSchema = defineEntity({
  name: 'EmailChange',
  tableName: 'email_changes',
  indexes: [
    { name: 'email_changes_user', properties: ['userId'] },
    {
      name: 'email_changes_kept',
      expression: `create index email_changes_kept on email_changes ((case when old_email ~ '@(gmail|googlemail)[.]com$' then replace(split_part(split_part(old_email, '@', 1), '+', 1), '.', '') || '@gmail.com' when old_email ~ '@(outlook[.]com|hotmail[.]com|live[.]com|icloud[.]com|me[.]com|mac[.]com|fastmail[.]com|proton[.]me|protonmail[.]com|pm[.]me)$' then split_part(split_part(old_email, '@', 1), '+', 1) || '@' || split_part(old_email, '@', 2) else old_email end)) where changed_at is not null`,
    },
  ],
  uniques: [{ name: 'email_changes_waiting_user', properties: ['userId'], where: { changedAt: null } }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    email: p.string().columnType('text'),
    /** Known once it is done. */
    oldEmail: p.string().columnType('text').nullable(),
    /** Keyed with the JWT secret; null once it is done. */
    codeHash: p.string().columnType('text').nullable(),
    tries: p.integer().default(0),
    /** Of the link that the old address got. */
    undoHash: p.string().columnType('text').nullable().unique(),
    changedAt: p.datetime(3).nullable(),
    /** Of the code, then of the link. */
    expiresAt: p.datetime(3),
  },
});

export class EmailChange extends EmailChangeSchema.class {}
EmailChangeSchema.setClass(EmailChange);

/** An account at an identity provider with which a user signs in here. */
const OAuthAccountSchema = defineEntity({
  name: 'OAuthAccount',
  tableName: 'oauth_accounts',
  uniques: [{ name: 'oauth_accounts_subject', properties: ['provider', 'subject'] }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    provider: p.string().columnType('text'),
    /** The provider's own id of the account; it never changes. */
    subject: p.string().columnType('text'),
    providerEmail: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** The session that linked it; null: made by signing in with it, or by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class OAuthAccount extends OAuthAccountSchema.class {}
OAuthAccountSchema.setClass(OAuthAccount);

/** A sign-in in progress at a provider. The browser's cookie has its secrets; here are their hashes. */
const OAuthStateSchema = defineEntity({
  name: 'OAuthState',
  tableName: 'oauth_states',
  properties: {
    stateHash: p.string().columnType('text').primary(),
    cookieHash: p.string().columnType('text'),
    provider: p.string().columnType('text'),
    redirect: p.string().columnType('text'),
    inviteCode: p.string().columnType('text').nullable(),
    /** Set when a signed-in user links an account instead of signing in. */
    linkTo: () => p.manyToOne(User).mapToPk().fieldName('link_to').nullable().deleteRule('cascade').index(false),
    expiresAt: p.datetime(3).index('oauth_states_expires'),
    /** The session that links an account. */
    madeBy: p.uuid().nullable(),
  },
});

export class OAuthState extends OAuthStateSchema.class {}
OAuthStateSchema.setClass(OAuthState);
