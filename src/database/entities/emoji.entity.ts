import { defineEntity, p } from '@mikro-orm/core';
import { dateNow } from '../../infrastructure/clock.ts';
import { Server } from './server.entity.ts';
import { User } from './user.entity.ts';

/** An emoji of a server's own (contract §6). Reactions with it keep its id and its name, also after it is gone. */
const ServerEmojiSchema = defineEntity({
  name: 'ServerEmoji',
  tableName: 'server_emoji',
  uniques: [{ name: 'server_emoji_name', properties: ['serverId', 'name'] }],
  indexes: [{ name: 'server_emoji_picture', properties: ['url'] }],
  properties: {
    id: p.uuid().primary(),
    serverId: () => p.manyToOne(Server).mapToPk().fieldName('server_id').deleteRule('cascade').index(false),
    name: p.string().columnType('text'),
    /** The address of its uploaded picture. */
    url: p.string().columnType('text'),
    isAnimated: p.boolean(),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable().deleteRule('set null').index(),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class ServerEmoji extends ServerEmojiSchema.class {}
ServerEmojiSchema.setClass(ServerEmoji);
