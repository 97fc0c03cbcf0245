import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.entity.ts';

/** One sign-in on one device. */
const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    deviceName: p.string().columnType('text').nullable(),
    userAgent: p.string().columnType('text').nullable(),
    ipAddress: p.string().columnType('text').nullable(),
    /** SHA-256 of the refresh token that is valid now. */
    refreshHash: p.string().columnType('text').unique(),
    refreshExpiresAt: p.datetime(3),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    lastSeenAt: p.datetime(3).onCreate(() => new Date()),
    revokedAt: p.datetime(3).nullable(),
  },
});

export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
