import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

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
