import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

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
    revokedAt: p.datetime(3).nullable(),
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
