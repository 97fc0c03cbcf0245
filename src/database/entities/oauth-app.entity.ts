import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { PersonalToken, User } from './user.entity.ts';

/** A program of others that people may allow to act for them (contract §3, OAuth apps). Its id is its `client_id`. */
const OAuthAppSchema = defineEntity({
  name: 'OAuthApp',
  tableName: 'oauth_apps',
  indexes: [
    {
      name: 'oauth_apps_self_registered',
      expression:
        'create index oauth_apps_self_registered on oauth_apps (coalesce(used_at, created_at)) where owner_id is null',
    },
    { name: 'oauth_apps_unused', properties: ['createdAt'], where: { ownerId: null, usedAt: null } },
  ],
  properties: {
    id: p.uuid().primary(),
    /** Who registered it; null: it registered itself. */
    ownerId: () => p.manyToOne(User).mapToPk().fieldName('owner_id').nullable().deleteRule('cascade').index(),
    name: p.string().columnType('text'),
    website: p.string().columnType('text').nullable(),
    redirectUris: p.array().columnType('text[]'),
    /** Null: it cannot keep a secret, and has none. */
    secretHash: p.string().columnType('text').nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    /** When it last got tokens; null: nobody has allowed it. */
    usedAt: p.datetime(3).nullable(),
  },
});

export class OAuthApp extends OAuthAppSchema.class {}
OAuthAppSchema.setClass(OAuthApp);

/** What a person allowed an app, which the app fetches once with the code. */
const OAuthCodeSchema = defineEntity({
  name: 'OAuthCode',
  tableName: 'oauth_codes',
  properties: {
    codeHash: p.string().columnType('text').primary(),
    appId: () => p.manyToOne(OAuthApp).mapToPk().fieldName('app_id').deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    scope: p.string().columnType('text'),
    redirectUri: p.string().columnType('text'),
    /** SHA-256 of the verifier (RFC 7636). */
    challenge: p.string().columnType('text'),
    nonce: p.string().columnType('text').nullable(),
    /** The session that allowed it. */
    madeBy: p.uuid(),
    expiresAt: p.datetime(3).index('oauth_codes_expires'),
    usedAt: p.datetime(3).nullable(),
    /** What it was exchanged for: a second use ends that. */
    tokenId: p.uuid().nullable(),
  },
});

export class OAuthCode extends OAuthCodeSchema.class {}
OAuthCodeSchema.setClass(OAuthCode);

export type DeviceState = 'waiting' | 'allowed' | 'denied';

/** A device that waits for its user to enter a code elsewhere. */
const OAuthDeviceSchema = defineEntity({
  name: 'OAuthDevice',
  tableName: 'oauth_devices',
  properties: {
    deviceHash: p.string().columnType('text').primary(),
    /** Keyed with the JWT secret: it is short. */
    userCodeHash: p.string().columnType('text').unique(),
    appId: () => p.manyToOne(OAuthApp).mapToPk().fieldName('app_id').deleteRule('cascade').index(),
    scope: p.string().columnType('text'),
    state: p.string().columnType('text').$type<DeviceState>(),
    /** Who decided; null: nobody yet. */
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').nullable().deleteRule('cascade').index(),
    madeBy: p.uuid().nullable(),
    /** How long it has to wait between two questions, in seconds. */
    pause: p.integer(),
    polledAt: p.datetime(3).nullable(),
    expiresAt: p.datetime(3).index('oauth_devices_expires'),
  },
});

export class OAuthDevice extends OAuthDeviceSchema.class {}
OAuthDeviceSchema.setClass(OAuthDevice);

/** A refresh token of an app that has been exchanged: seen again, it is a repeat or a theft (contract §3, OAuth apps). */
const UsedAppTokenSchema = defineEntity({
  name: 'UsedAppToken',
  tableName: 'used_app_tokens',
  indexes: [{ name: 'used_app_tokens_token', properties: ['tokenId', 'usedAt'] }],
  properties: {
    hash: p.string().columnType('text').primary(),
    tokenId: () => p.manyToOne(PersonalToken).mapToPk().fieldName('token_id').deleteRule('cascade').index(false),
    usedAt: p.datetime(3),
    /** Its successor, which only the used token can unseal; null once the grace period is over. */
    successor: p.string().columnType('text').nullable(),
  },
});

export class UsedAppToken extends UsedAppTokenSchema.class {}
UsedAppTokenSchema.setClass(UsedAppToken);
