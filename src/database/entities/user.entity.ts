import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';

/** A person or a bot. Deleted users keep their rows, so that what they wrote has an author. */
const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  indexes: [
    {
      // For prefix search by name.
      name: 'users_username_prefix',
      expression: 'create index users_username_prefix on users (username_key text_pattern_ops)',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    username: p.string().columnType('text'),
    /** The username in lower case: usernames are unique case-insensitively. */
    usernameKey: p.string().columnType('text').unique(),
    email: p.string().columnType('text').nullable().unique(),
    /** Since when it is proven that the address is this person's; null: anyone may have given it. */
    emailVerifiedAt: p.datetime(3).nullable(),
    displayName: p.string().columnType('text'),
    avatarUrl: p.string().columnType('text').nullable(),
    isBot: p.boolean().default(false),
    passwordHash: p.string().columnType('text').nullable(),
    tier: p.string().columnType('text'),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    deletedAt: p.datetime(3).nullable(),
    /** Set by the operator: nothing of this account is let in, nor are its bots. */
    suspendedAt: p.datetime(3).nullable(),
    suspensionReason: p.string().columnType('text').nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);
