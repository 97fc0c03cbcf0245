import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind, ChannelType } from '../../contract/channel.ts';
import type { joinRequestStates } from '../../contract/join-request.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A heading over channels of a server, in an order of their own (contract §5). */
const CategorySchema = defineEntity({
  name: 'Category',
  tableName: 'channel_categories',
  indexes: [{ name: 'channel_categories_server_position', properties: ['serverId', 'position'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    name: p.string().columnType('text'),
    position: p.integer().default(0),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
  },
});

export class Category extends CategorySchema.class {}
CategorySchema.setClass(Category);

/** A place for messages: in a server, between two people (kind `dm`), or in a group of people. */
const ChannelSchema = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  indexes: [
    { name: 'channels_server_position', properties: ['serverId', 'position'] },
    { name: 'channels_deleted', properties: ['deletedAt'], where: { deletedAt: { $ne: null } } },
    { name: 'channels_category', properties: ['categoryId'], where: { categoryId: { $ne: null } } },
    { name: 'channels_expiring', properties: ['id'], where: { keepMessagesDays: { $gt: 0 } } },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').index(false),
    kind: p.string().columnType('text').$type<ChannelKind>(),
    name: p.string().columnType('text'),
    type: p.string().columnType('text').$type<ChannelType>(),
    description: p.string().columnType('text').nullable(),
    position: p.integer().default(0),
    /** The category that it is listed in; null: above all of them. */
    categoryId: () =>
      p.manyToOne(Category).mapToPk().fieldName('category_id').nullable().deleteRule('set null').index(false),
    /** Everyone who was not let in may not view it (contract §5). */
    isPrivate: p.boolean().default(false),
    /** Overrides of roles or people say who may view it; kept by a trigger. */
    viewOverridden: p.boolean().default(false),
    isArchived: p.boolean().default(false),
    /** Messages go after so many days; 0: they stay; null: as the server decides. */
    keepMessagesDays: p.integer().nullable(),
    /** Messages up to this number of its log are expired and removed, apart from empty rows that later ones refer to. */
    expiredSeq: p.bigint('number').default(0),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(false),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    /** A deleted channel has no server any more; its messages are removed in the background. */
    deletedAt: p.datetime(3).nullable(),
    /** How long people wait between two messages; 0: not at all (contract §6). */
    slowModeSeconds: p.integer().default(0),
    /** Whether anyone is notified of all its messages; kept by a trigger. */
    isWatched: p.boolean().default(false),
  },
});

export class Channel extends ChannelSchema.class {}
ChannelSchema.setClass(Channel);

/** Who was added to a private channel, or removed from an open one, where members need no row (contract §5). */
const ChannelMemberSchema = defineEntity({
  name: 'ChannelMember',
  tableName: 'channel_members',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    /** Removed from a channel that is open to the whole server. */
    excluded: p.boolean().default(false),
    /** By the clock of the database, which stamps events: the webhooks of bots begin at the first one since. */
    joinedAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class ChannelMember extends ChannelMemberSchema.class {}
ChannelMemberSchema.setClass(ChannelMember);

/** How far a user has read a channel. Without a row: nothing of it. */
const ChannelReadSchema = defineEntity({
  name: 'ChannelRead',
  tableName: 'channel_reads',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    /** A position in the channel's log; it goes back at its user's wish alone (contract §5). */
    lastReadSeq: p.bigint('number').default(0),
  },
});

export class ChannelRead extends ChannelReadSchema.class {}
ChannelReadSchema.setClass(ChannelRead);

/** A channel or direct message that someone keeps at the top of their lists (contract §5). */
const ChannelFavoriteSchema = defineEntity({
  name: 'ChannelFavorite',
  tableName: 'channel_favorites',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    position: p.integer(),
  },
});

export class ChannelFavorite extends ChannelFavoriteSchema.class {}
ChannelFavoriteSchema.setClass(ChannelFavorite);

/**
 * When someone last wrote in a channel with slow mode, for the hours that it may last. It is written under the lock of the
 * channel's log; references would lock the channel's row after it.
 */
const SlowModeTurnSchema = defineEntity({
  name: 'SlowModeTurn',
  tableName: 'slow_mode_turns',
  primaryKeys: ['channelId', 'userId'],
  indexes: [{ name: 'slow_mode_turns_over', properties: ['sentAt'] }],
  properties: {
    channelId: p.uuid().primary(),
    userId: p.uuid().primary(),
    sentAt: p.datetime(3),
  },
});

export class SlowModeTurn extends SlowModeTurnSchema.class {}
SlowModeTurnSchema.setClass(SlowModeTurn);

/** The two people of a DM channel: one channel for a pair (contract §7). */
const DmChannelSchema = defineEntity({
  name: 'DmChannel',
  tableName: 'dm_channels',
  uniques: [{ name: 'dm_channels_pair', properties: ['lowId', 'highId'] }],
  indexes: [
    { name: 'dm_channels_low_recent', properties: ['lowId', 'lastActiveAt'] },
    { name: 'dm_channels_high_recent', properties: ['highId', 'lastActiveAt'] },
  ],
  properties: {
    channelId: () => p.oneToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade'),
    /** The smaller of the two ids, so that a pair has only one order. */
    lowId: () => p.manyToOne(User).mapToPk().fieldName('low_id').deleteRule('cascade').index(false),
    highId: () => p.manyToOne(User).mapToPk().fieldName('high_id').deleteRule('cascade').index(false),
    /** When it was opened or last written to, as far as the background work has recorded it. */
    lastActiveAt: p.datetime(3).onCreate(dateNow),
  },
});

export class DmChannel extends DmChannelSchema.class {}
DmChannelSchema.setClass(DmChannel);

/** A group of people: one for a set of them (contract §7). */
const GroupChannelSchema = defineEntity({
  name: 'GroupChannel',
  tableName: 'group_channels',
  uniques: [{ name: 'group_channels_people', properties: ['people'] }],
  properties: {
    channelId: () => p.oneToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade'),
    /** A hash of who is in it; null: another group has become that of the same people. */
    people: p.string().columnType('text').nullable(),
  },
});

export class GroupChannel extends GroupChannelSchema.class {}
GroupChannelSchema.setClass(GroupChannel);

/** Someone in a group, beside their row in `channel_members`, which lets them in. */
const GroupMemberSchema = defineEntity({
  name: 'GroupMember',
  tableName: 'group_members',
  primaryKeys: ['channelId', 'userId'],
  indexes: [{ name: 'group_members_recent', properties: ['userId', 'lastActiveAt'] }],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(false),
    /** That of the group, as in `DmChannel`; here, so that each member's latest are a walk along an index. */
    lastActiveAt: p.datetime(3).onCreate(dateNow),
  },
});

export class GroupMember extends GroupMemberSchema.class {}
GroupMemberSchema.setClass(GroupMember);

/** A request to join a server or a private channel; its admins decide (contract §12). */
const JoinRequestSchema = defineEntity({
  name: 'JoinRequest',
  tableName: 'join_requests',
  uniques: [
    { name: 'join_requests_server', properties: ['serverId', 'userId'], where: { channelId: null } },
    { name: 'join_requests_channel', properties: ['channelId', 'userId'], where: { channelId: { $ne: null } } },
  ],
  indexes: [
    { name: 'join_requests_pending', properties: ['serverId', 'id'], where: { status: 'pending' } },
    { name: 'join_requests_user', properties: ['userId'] },
    { name: 'join_requests_invite', properties: ['inviteId'], where: { inviteId: { $ne: null } } },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(),
    /** Null: the server as a whole. */
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').nullable().deleteRule('cascade').index(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(false),
    status: p.string().columnType('text').$type<(typeof joinRequestStates)[number]>(),
    /** Raid mode held back a join. */
    held: p.boolean().default(false),
    /** The invite link of a join that is held: it counts as a use until the request is rejected or gone. */
    inviteId: p.uuid().nullable(),
    decidedBy: () => p.manyToOne(User).mapToPk().fieldName('decided_by').nullable().deleteRule('set null').index(false),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class JoinRequest extends JoinRequestSchema.class {}
JoinRequestSchema.setClass(JoinRequest);
