import { defineEntity, p } from '@mikro-orm/core';
import type { Components } from '../../contract/component.ts';
import type { LinkPreview } from '../../contract/link-preview.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { hasUnspaced, unspacedWords } from '../unspaced.ts';
import { Blob } from './blob.entity.ts';
import { Channel } from './channel.entity.ts';
import { HeldMessage } from './filter.entity.ts';
import { ScheduledMessage } from './later.entity.ts';
import { User } from './user.entity.ts';

/** A side conversation that starts from a message. */
const ThreadSchema = defineEntity({
  name: 'Thread',
  tableName: 'threads',
  indexes: [
    { name: 'threads_channel', properties: ['channelId', 'id'] },
    // Finds those with replies after a position.
    { name: 'threads_replied', properties: ['channelId', 'lastSeq'] },
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
    /** The number of the last reply that is not deleted; 0: there is none, or none since earlier versions. */
    lastSeq: p.bigint('number').default(0),
  },
});

export class Thread extends ThreadSchema.class {}
ThreadSchema.setClass(Thread);

/** A preview of a message; one that its author or a moderator removed is only known by its address. */
export interface KeptPreview extends LinkPreview {
  isRemoved?: boolean;
}

/**
 * A message. Deleted ones stay as empty rows, so that cursors and replies keep pointing at them.
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
    /** Bots it mentions or mentioned, by user id (see bots.table); null: those in `mentions`, since it was sent. */
    mentionedBots: p.json<Record<string, number>>().columnType('jsonb').nullable(),
    nonce: p.string().columnType('text').nullable(),
    /** The Idempotency-Key of its request, or the streamed reply that produced it. */
    sentKey: p.string().columnType('text').nullable(),
    isEdited: p.boolean().default(false),
    /** Whether it may have reactions, files or a thread; a trigger sets it, and nothing clears it. */
    hasExtras: p.boolean().default(false),
    /** Up to which number of the channel's log the bot had read that wrote it, if it says so. */
    answersTo: p.bigint('number').nullable(),
    /** What of that it had been given by its policy (see hearing.ts). */
    answersWithin: p.string().columnType('text').$type<'all' | 'own' | 'commands' | 'none'>().nullable(),
    /** It answers a person's use of a component or a command (see LoopGuard). */
    answersUse: p.boolean().default(false),
    pinnedAt: p.datetime(3).nullable(),
    /** Of the pages that it links to, those that were removed too: they do not come back. */
    previews: p.json<KeptPreview[]>().columnType('json').nullable(),
    /** What people can use of a bot's message; without items: it had some. */
    components: p.json<Components>().columnType('json').nullable(),
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

const ReactionSchema = defineEntity({
  name: 'Reaction',
  tableName: 'reactions',
  primaryKeys: ['messageId', 'emoji', 'userId'],
  indexes: [{ name: 'reactions_in_order', properties: ['messageId', 'place'] }],
  properties: {
    messageId: () =>
      p.manyToOne(Message).mapToPk().fieldName('message_id').primary().deleteRule('cascade').index(false),
    emoji: p.string().columnType('text').primary(),
    userId: () =>
      p.manyToOne(User).mapToPk().fieldName('user_id').primary().deleteRule('cascade').index('reactions_by_user'),
    /** 1, 2, 3, … on each message: reactions are shown in the order in which they were added. */
    place: p.integer(),
    /** The server's own emoji that its name meant; it may be gone by now. */
    emojiId: p.uuid().nullable(),
  },
});

export class Reaction extends ReactionSchema.class {}
ReactionSchema.setClass(Reaction);

/** An uploaded file: free until it is sent with a message, then part of that one only. */
const AttachmentSchema = defineEntity({
  name: 'Attachment',
  tableName: 'attachments',
  indexes: [
    { name: 'attachments_uploaded', properties: ['uploaderId', 'size'] },
    { name: 'attachments_unsent', properties: ['uploaderId', 'createdAt'], where: { messageId: null } },
    { name: 'attachments_expiring', properties: ['createdAt'], where: { messageId: null } },
    {
      name: 'attachments_held',
      expression: 'create index attachments_held on attachments (held_id) where held_id is not null',
    },
    {
      name: 'attachments_scheduled',
      expression: 'create index attachments_scheduled on attachments (scheduled_id) where scheduled_id is not null',
    },
    {
      name: 'attachments_thumbnail',
      expression:
        'create index attachments_thumbnail on attachments (thumbnail_blob_id) where thumbnail_blob_id is not null',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    uploaderId: () => p.manyToOne(User).mapToPk().fieldName('uploader_id').index(false),
    messageId: () => p.manyToOne(Message).mapToPk().fieldName('message_id').nullable().deleteRule('set null').index(),
    /** What it waits with for a moderator. */
    heldId: () =>
      p.manyToOne(HeldMessage).mapToPk().fieldName('held_id').nullable().deleteRule('set null').index(false),
    /** The scheduled message that it is to be sent with. */
    scheduledId: () =>
      p.manyToOne(ScheduledMessage).mapToPk().fieldName('scheduled_id').nullable().deleteRule('set null').index(false),
    /** Its position among the attachments of its message. */
    place: p.integer().default(0),
    blobId: () => p.manyToOne(Blob).mapToPk().fieldName('blob_id').index(),
    filename: p.string().columnType('text'),
    contentType: p.string().columnType('text'),
    /** Bytes. */
    size: p.bigint('number'),
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    /** How long it plays, as its sender said. */
    durationMs: p.integer().nullable(),
    /** Whether it was spoken into the client. */
    isVoice: p.boolean().default(false),
    /** How loud it is over its time, a byte each, in base64. */
    waveform: p.string().columnType('text').nullable(),
    /** A smaller form of a picture; it is made after the upload. */
    thumbnailBlobId: () =>
      p.manyToOne(Blob).mapToPk().fieldName('thumbnail_blob_id').nullable().deleteRule('no action').index(false),
    /** It is shown only to those who ask for it. */
    isSpoiler: p.boolean().default(false),
    /** Where it was sent, for what that server stores; a trigger sets it. */
    serverId: p.uuid().nullable(),
    /** Whether what it stores is counted; rows from before that are counted in the background. */
    isCounted: p.boolean().default(true),
    createdAt: p.datetime(3).onCreate(dateNow),
  },
});

export class Attachment extends AttachmentSchema.class {}
AttachmentSchema.setClass(Attachment);

/**
 * What an edited message said before, where its server keeps that. Its message is no foreign key: that would refuse to let
 * messages be partitioned.
 */
const MessageVersionSchema = defineEntity({
  name: 'MessageVersion',
  tableName: 'message_versions',
  primaryKeys: ['channelId', 'messageId', 'version'],
  properties: {
    channelId: () =>
      p.manyToOne(Channel).mapToPk().fieldName('channel_id').primary().deleteRule('cascade').index(false),
    messageId: p.uuid().primary(),
    /** 1, 2, 3, …: its first text is 1. */
    version: p.integer().primary(),
    content: p.text(),
    /** When another text replaced it. */
    editedAt: p.datetime(3),
  },
});

export class MessageVersion extends MessageVersionSchema.class {}
MessageVersionSchema.setClass(MessageVersion);

/**
 * What a message says of another that it forwards (contract §6). It stays as it was when it was forwarded. Its message is no
 * foreign key: that would refuse to let messages be partitioned.
 */
const MessageForwardSchema = defineEntity({
  name: 'MessageForward',
  tableName: 'message_forwards',
  indexes: [
    {
      name: 'message_forwards_author',
      expression: 'create index message_forwards_author on message_forwards (author_id) where not is_withdrawn',
    },
  ],
  properties: {
    messageId: p.uuid().primary(),
    channelId: () => p.manyToOne(Channel).mapToPk().fieldName('channel_id').deleteRule('cascade').index(),
    /** What was forwarded first: of a forwarded message that is forwarded the original. */
    sourceId: p.uuid(),
    authorId: () => p.manyToOne(User).mapToPk().fieldName('author_id').index(false),
    content: p.text(),
    /** The people whom it names. */
    mentions: p.json<MentionRecord[]>().columnType('json').nullable(),
    /** Those of the message's files that came with it. */
    attachmentIds: p.array().columnType('uuid[]').default([]),
    /** When the source was sent. */
    sentAt: p.datetime(3),
    /** Its author had all of their messages erased. */
    isWithdrawn: p.boolean().default(false),
  },
});

export class MessageForward extends MessageForwardSchema.class {}
MessageForwardSchema.setClass(MessageForward);
