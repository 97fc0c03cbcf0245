import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

/** A token that a user created for their own program (contract §3). */
const PersonalTokenSchema = defineEntity({
  name: 'PersonalToken',
  tableName: 'personal_tokens',
  indexes: [{ name: 'personal_tokens_revoked', properties: ['revokedAt'], where: { revokedAt: { $ne: null } } }],
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    name: p.string().columnType('text'),
    /** `user:read` or `user:write`. */
    scope: p.string().columnType('text'),
    tokenHash: p.string().columnType('text').unique(),
    createdAt: p.datetime(3).onCreate(dateNow),
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** The session that made it; null: made by an earlier version. */
    madeBy: p.uuid().nullable(),
  },
});

export class PersonalToken extends PersonalTokenSchema.class {}
PersonalTokenSchema.setClass(PersonalToken);
