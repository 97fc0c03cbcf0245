import { defineEntity, p } from '@mikro-orm/core';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/** How far a user has read a channel. Without a row: nothing of it. */
const ChannelReadSchema = defineEntity({
  name: 'ChannelRead',
  tableName: 'channel_reads',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    /** A number of the channel's log; it never goes back (contract §5). */
    lastReadSeq: p.bigint('number').default(0),
  },
});

export class ChannelRead extends ChannelReadSchema.class {}
ChannelReadSchema.setClass(ChannelRead);
