import { defineEntity, p } from '@mikro-orm/core';
import { User } from '../accounts/user.entity.ts';
import { Channel } from '../channels/channel.entity.ts';

/**
 * A message. Deleted ones stay as empty rows: cursors keep their place and replies know what they answered.
 */
const MessageSchema = defineEntity({
  name: 'Message',
  tableName: 'messages',
  uniques: [
    { name: 'messages_channel_seq', properties: ['channelId', 'seq'] },
    {
      name: 'messages_nonce',
      properties: ['channelId', 'authorId', 'nonce'],
      where: { nonce: { $ne: null } },
    },
  ],
  indexes: [
    {
      name: 'messages_roots',
      properties: ['channelId', 'seq'],
      where: { threadId: null, deletedAt: null },
    },
  ],
  properties: {
    id: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(false),
    /** The number of its `message:new` in the channel's log. */
    seq: p.bigint('number'),
    authorId: () => p.manyToOne(User).mapToPk().fieldName('author_id').index(false),
    content: p.text(),
    threadId: p.uuid().nullable(),
    replyToId: p.uuid().nullable(),
    metadata: p.json<Record<string, unknown>>().columnType('json').nullable(),
    nonce: p.string().columnType('text').nullable(),
    isEdited: p.boolean().default(false),
    createdAt: p.datetime(3).onCreate(() => new Date()),
    updatedAt: p.datetime(3).onCreate(() => new Date()),
    deletedAt: p.datetime(3).nullable(),
  },
});

export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);
