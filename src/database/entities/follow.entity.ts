import { defineEntity, p } from '@mikro-orm/core';
import type { FollowState } from '../../contract/follow.ts';
import type { ChannelLevel } from '../../contract/notification-level.ts';
import { Channel } from './channel.entity.ts';
import { Thread } from './message.entity.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/**
 * Someone who follows a thread, has muted it, or has read in it (contract §6). Rows are written under the lock of the
 * channel's log with the replies, else under that of the user's; a reference to users would lock their rows after it.
 */
const ThreadFollowSchema = defineEntity({
  name: 'ThreadFollow',
  tableName: 'thread_follows',
  primaryKeys: ['threadId', 'userId'],
  indexes: [{ name: 'thread_follows_inbox', properties: ['userId', 'state', 'isUnread', 'activeAt', 'threadId'] }],
  properties: {
    threadId: () => p.manyToOne(Thread).mapToPk().fieldName('thread_id').primary().deleteRule('cascade').index(false),
    userId: p.uuid().primary(),
    state: p.string().columnType('text').$type<FollowState>(),
    /** Whether the user asked to follow it. */
    byChoice: p.boolean().default(false),
    /** A position in the channel's log. */
    lastReadSeq: p.bigint('number').default(0),
    /** Whether there are replies of others after it, as far as the background work has found. */
    isUnread: p.boolean().default(false),
    /** When the last reply was sent, as far as the background work has noted it. */
    activeAt: p.datetime(3),
  },
});

export class ThreadFollow extends ThreadFollowSchema.class {}
ThreadFollowSchema.setClass(ThreadFollow);

/** What a user is notified of in a channel, if that is not as everywhere; muted ones are in the user's preferences. */
const ChannelLevelSchema = defineEntity({
  name: 'ChannelLevelRow',
  tableName: 'channel_levels',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    level: p.string().columnType('text').$type<Exclude<ChannelLevel, 'nothing'>>(),
  },
});

export class ChannelLevelRow extends ChannelLevelSchema.class {}
ChannelLevelSchema.setClass(ChannelLevelRow);

/** The same in a server. */
const ServerLevelSchema = defineEntity({
  name: 'ServerLevelRow',
  tableName: 'server_levels',
  primaryKeys: ['serverId', 'userId'],
  properties: {
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    level: p.string().columnType('text').$type<Exclude<ChannelLevel, 'nothing'>>(),
  },
});

export class ServerLevelRow extends ServerLevelSchema.class {}
ServerLevelSchema.setClass(ServerLevelRow);
