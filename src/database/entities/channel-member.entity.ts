import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

/** Who was let into a private channel, or put out of an open one, where people need no row to be (contract §5). */
const ChannelMemberSchema = defineEntity({
  name: 'ChannelMember',
  tableName: 'channel_members',
  primaryKeys: ['channelId', 'userId'],
  properties: {
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade'),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index(),
    /** Taken out of a channel that is open to the whole server. */
    excluded: p.boolean().default(false),
    joinedAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ChannelMember extends ChannelMemberSchema.class {}
ChannelMemberSchema.setClass(ChannelMember);
