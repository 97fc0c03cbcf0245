import { defineEntity, p } from '@mikro-orm/core';
import type { MentionRecord } from '../../contract/mention.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { hasUnspaced, unspacedWords } from '../unspaced.ts';
import { Channel } from './channel.entity.ts';
import { Thread } from './thread.entity.ts';
import { User } from './user.entity.ts';

/**
 * A message. Deleted ones stay as empty rows, so that cursors keep their place and replies know what they answered.
 *
 * Its channel, author and thread are not foreign keys: checking those row by row was a third of PostgreSQL's work for a
 * send. The writer locks the head of the channel's log, which is removed only together with the channel and its threads
 * (see channel.purge), and users are never removed.
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
    {
      name: 'messages_sent_key',
      properties: ['channelId', 'authorId', 'sentKey'],
      where: { sentKey: { $ne: null } },
    },
  ],
  indexes: [
    {
      name: 'messages_roots',
      properties: ['channelId', 'seq'],
      // With the author in the index, unread messages are counted without reading the rows.
      include: ['authorId'],
      where: { threadId: null, deletedAt: null },
    },
    { name: 'messages_of_thread', properties: ['threadId', 'seq'], where: { threadId: { $ne: null } } },
    { name: 'messages_replies', properties: ['replyToId'], where: { replyToId: { $ne: null } } },
    { name: 'messages_pinned', properties: ['channelId', 'pinnedAt'], where: { pinnedAt: { $ne: null } } },
    { name: 'messages_search', expression: 'create index messages_search on messages using gin (search)' },
    {
      name: 'messages_search_unspaced',
      expression: `create index messages_search_unspaced on messages
        using gin (${unspacedWords('content', 'channel_id')}) where ${hasUnspaced('content')}`,
    },
  ],
  properties: {
    id: p.uuid().primary(),
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').createForeignKeyConstraint(false).index(false),
    /** The number of its `message:new` in the channel's log. */
    seq: p.bigint('number'),
    authorId: () =>
      p.manyToOne(User).mapToPk().fieldName('author_id').createForeignKeyConstraint(false).index('messages_author'),
    content: p.text(),
    threadId: () =>
      p.manyToOne(Thread).mapToPk().fieldName('thread_id').nullable().createForeignKeyConstraint(false).index(false),
    replyToId: p.uuid().nullable(),
    metadata: p.json<Record<string, unknown>>().columnType('json').nullable(),
    mentions: p.json<MentionRecord[]>().columnType('json').nullable(),
    /** Bots that it mentions or ever mentioned, by user id (see mentioned-bots); null: those in `mentions`, since it was sent. */
    mentionedBots: p.json<Record<string, number>>().columnType('jsonb').nullable(),
    nonce: p.string().columnType('text').nullable(),
    /** The Idempotency-Key of its request, or the streamed reply that it came from. */
    sentKey: p.string().columnType('text').nullable(),
    isEdited: p.boolean().default(false),
    /** Whether it may have reactions, files or a thread; a trigger sets it, and it stays. */
    hasExtras: p.boolean().default(false),
    pinnedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).onCreate(dateNow),
    updatedAt: p.datetime(3).onCreate(dateNow),
    deletedAt: p.datetime(3).nullable(),
    /** Its words, and the id of its channel as one more word: a search looks only into the channels it may see. */
    search: p
      .string()
      .columnType('tsvector')
      .generated(`(to_tsvector('simple'::regconfig, content) || array_to_tsvector(array[(channel_id)::text])) stored`)
      .nullable()
      .lazy(),
  },
});

export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);
