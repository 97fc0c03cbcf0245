import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { User } from './user.entity.ts';

export type FriendshipStatus = 'pending' | 'accepted' | 'rejected';

/** The relation of two people: one row for a pair, in either direction (contract §7). */
const FriendshipSchema = defineEntity({
  name: 'Friendship',
  tableName: 'friendships',
  uniques: [{ name: 'friendships_pair', properties: ['lowId', 'highId'] }],
  properties: {
    id: p.uuid().primary(),
    /** The smaller of the two ids, so that a pair has only one order. */
    lowId: () => p.manyToOne(User).mapToPk().fieldName('low_id').deleteRule('cascade').index(false),
    highId: () => p.manyToOne(User).mapToPk().fieldName('high_id').deleteRule('cascade').index(),
    /** Which of the two asked. */
    requesterId: () => p.manyToOne(User).mapToPk().fieldName('requester_id').deleteRule('cascade').index(false),
    status: p.string().columnType('text').$type<FriendshipStatus>(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Friendship extends FriendshipSchema.class {}
FriendshipSchema.setClass(Friendship);

/** One user has blocked another. */
const BlockSchema = defineEntity({
  name: 'Block',
  tableName: 'blocks',
  primaryKeys: ['userId', 'blockedId'],
  properties: {
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    blockedId: () => p.manyToOne(User).mapToPk().fieldName('blocked_id').primary().deleteRule('cascade').index(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Block extends BlockSchema.class {}
BlockSchema.setClass(Block);
