import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Channel } from './channel.entity.ts';
import { User } from './user.entity.ts';

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
