import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/** A side conversation that starts from a message. */
const ThreadSchema = defineEntity({
  name: 'Thread',
  tableName: 'threads',
  indexes: [
    { name: 'threads_channel', properties: ['channelId', 'id'] },
    {
      name: 'threads_to_purge',
      properties: ['id'],
      where: { deletedAt: { $ne: null }, messageCount: { $gt: 0 } },
    },
  ],
  properties: {
    id: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(false),
    /** Null once the thread is deleted, so that its message can start another one. */
    parentMessageId: p.uuid().nullable().unique(),
    name: p.string().columnType('text'),
    /** Whether a user named it; the default is the beginning of its message. */
    isNamed: p.boolean().default(true),
    creatorId: () => p.manyToOne(User).mapToPk().fieldName('creator_id').index(false),
    isArchived: p.boolean().default(false),
    /** Updated in the transactions that write and delete its messages, under the lock of the channel's log. */
    messageCount: p.integer().default(0),
    /** When the last message was sent; deleting that one does not reset it. */
    lastMessageAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
    /** Deleted threads stay until the last of their messages is gone. */
    deletedAt: p.datetime(3).nullable(),
  },
});

export class Thread extends ThreadSchema.class {}
ThreadSchema.setClass(Thread);
