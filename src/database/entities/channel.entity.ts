import { defineEntity, p } from '@mikro-orm/core';
import type { ChannelKind, ChannelType } from '../../contract/channel.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** A place for messages: in a server, or between two people (kind `dm`). */
const ChannelSchema = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  indexes: [
    { name: 'channels_server_position', properties: ['serverId', 'position'] },
    { name: 'channels_deleted', properties: ['deletedAt'], where: { deletedAt: { $ne: null } } },
  ],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').nullable().deleteRule('cascade').index(false),
    kind: p.string().columnType('text').$type<ChannelKind>(),
    name: p.string().columnType('text'),
    type: p.string().columnType('text').$type<ChannelType>(),
    description: p.string().columnType('text').nullable(),
    position: p.integer().default(0),
    isPrivate: p.boolean().default(false),
    isArchived: p.boolean().default(false),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(false),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow).onUpdate(dateNow),
    /** A deleted channel has no server any more; its messages are removed in the background. */
    deletedAt: p.datetime(3).nullable(),
  },
});

export class Channel extends ChannelSchema.class {}
ChannelSchema.setClass(Channel);
