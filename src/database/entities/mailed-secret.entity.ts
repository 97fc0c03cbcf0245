import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.entity.ts';

/** The last sign-in code mailed to an address, which need not have an account (contract §3). */
const EmailCodeSchema = defineEntity({
  name: 'EmailCode',
  tableName: 'email_codes',
  properties: {
    email: p.string().columnType('text').primary(),
    /** Keyed with the JWT secret: six digits are few. */
    codeHash: p.string().columnType('text'),
    tries: p.integer().default(0),
    expiresAt: p.datetime(3),
  },
});

export class EmailCode extends EmailCodeSchema.class {}
EmailCodeSchema.setClass(EmailCode);

/** A link with which a password can be set once. */
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

/** What was last mailed to an account to prove its address: a link and a code, either of which is used once. */
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
