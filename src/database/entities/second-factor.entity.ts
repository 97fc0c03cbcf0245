import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** The authenticator app of an account (contract §3). */
const TotpFactorSchema = defineEntity({
  name: 'TotpFactor',
  tableName: 'totp_factors',
  properties: {
    userId: () => p.oneToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade'),
    /** Sealed with the JWT secret: it is needed again for each code. */
    secret: p.string().columnType('text'),
    createdAt: p.datetime(3).onCreate(dateNow),
    /** When its first code was given; null: it does not count yet. */
    confirmedAt: p.datetime(3).nullable(),
    /** The step of 30 s, counted from 1970, whose code was taken last: a code is taken once. */
    lastStep: p.integer().nullable(),
  },
});

export class TotpFactor extends TotpFactorSchema.class {}
TotpFactorSchema.setClass(TotpFactor);

/** A recovery code that was not used yet. */
const RecoveryCodeSchema = defineEntity({
  name: 'RecoveryCode',
  tableName: 'recovery_codes',
  primaryKeys: ['userId', 'codeHash'],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    /** SHA-256 of 80 random bits. */
    codeHash: p.string().columnType('text').primary(),
  },
});

export class RecoveryCode extends RecoveryCodeSchema.class {}
RecoveryCodeSchema.setClass(RecoveryCode);

/** A passkey of an account: its public half. */
const PasskeySchema = defineEntity({
  name: 'Passkey',
  tableName: 'passkeys',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    /** Chosen by the authenticator, in base64url. */
    credentialId: p.string().columnType('text').unique(),
    /** In base64url. */
    publicKey: p.string().columnType('text'),
    /** How often the authenticator says it was used; 0 where it does not count. */
    counter: p.bigint('number'),
    /** How browsers may reach it, with spaces between. */
    transports: p.string().columnType('text'),
    name: p.string().columnType('text'),
    createdAt: p.datetime(3).onCreate(dateNow),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

export class Passkey extends PasskeySchema.class {}
PasskeySchema.setClass(Passkey);

export type PasskeyPurpose = 'sign-in' | 'second-factor' | 'confirm' | 'register';

/** What a browser has to sign with a passkey, once. */
const PasskeyChallengeSchema = defineEntity({
  name: 'PasskeyChallenge',
  tableName: 'passkey_challenges',
  properties: {
    challengeHash: p.string().columnType('text').primary(),
    purpose: p.string().columnType('text').$type<PasskeyPurpose>(),
    /** Whose passkey it has to be; null: anyone's. */
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').nullable().deleteRule('cascade').index(),
    expiresAt: p.datetime(3).index('passkey_challenges_expires'),
  },
});

export class PasskeyChallenge extends PasskeyChallengeSchema.class {}
PasskeyChallengeSchema.setClass(PasskeyChallenge);

/** A sign-in that a second factor has to complete. */
const SignInTicketSchema = defineEntity({
  name: 'SignInTicket',
  tableName: 'sign_in_tickets',
  properties: {
    tokenHash: p.string().columnType('text').primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    tries: p.integer().default(0),
    expiresAt: p.datetime(3).index('sign_in_tickets_expires'),
  },
});

export class SignInTicket extends SignInTicketSchema.class {}
SignInTicketSchema.setClass(SignInTicket);
