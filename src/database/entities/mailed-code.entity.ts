import { defineEntity, p } from '@mikro-orm/core';

/** The last sign-in code mailed to an address, for nodes of earlier versions: triggers keep it and `mailed_codes` alike. */
const EmailCodeSchema = defineEntity({
  name: 'EmailCode',
  tableName: 'email_codes',
  properties: {
    email: p.string().columnType('text').primary(),
    /** Keyed with the JWT secret: six digits are easy to guess. */
    codeHash: p.string().columnType('text'),
    tries: p.integer().default(0),
    expiresAt: p.datetime(3),
  },
});

export class EmailCode extends EmailCodeSchema.class {}
EmailCodeSchema.setClass(EmailCode);

/** A sign-in code mailed to an address, which need not have an account (contract §3). */
const MailedCodeSchema = defineEntity({
  name: 'MailedCode',
  tableName: 'mailed_codes',
  properties: {
    id: p.uuid().primary(),
    email: p.string().columnType('text').index('mailed_codes_email'),
    /** Keyed with the JWT secret: six digits are easy to guess. */
    codeHash: p.string().columnType('text'),
    /** A hash of the address or the device that asked for it. */
    asker: p.string().columnType('text'),
    /** Guesses that came from there. */
    tries: p.integer().default(0),
    /** Guesses from anywhere else. */
    otherTries: p.integer().default(0),
    expiresAt: p.datetime(3),
  },
});

export class MailedCode extends MailedCodeSchema.class {}
MailedCodeSchema.setClass(MailedCode);
