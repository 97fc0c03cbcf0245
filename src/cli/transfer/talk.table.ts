import { z } from 'zod';
import { followStates } from '../../contract/follow.ts';
import { maxMentions, mentionSchema } from '../../contract/mention.ts';
import { maxContent, maxMetadataBytes, nonceSchema } from '../../contract/message.ts';
import { keptEmojiSchema } from '../../contract/reaction.ts';
import { count, id, json, label, mediaType, part, sha256, smallCount, text, time, times } from './part.ts';
import { liveMessages } from './selections.table.ts';

export const threads = part({
  table: 'threads',
  shape: z.object({
    id,
    channelId: id,
    parentMessageId: id,
    name: label(100),
    isNamed: z.boolean().default(true),
    creatorId: id,
    isArchived: z.boolean(),
    lastMessageAt: time.nullable(),
    ...times,
  }),
  from: `threads t JOIN channels c ON c.id = t.channel_id
    WHERE c.server_id = $1 AND t.deleted_at IS NULL ORDER BY t.channel_id, t.id`,
  // Its message is later in the file; the end of the import checks that it exists.
  refers: { channelId: 'channels', creatorId: 'users' },
});

export const threadFollows = part({
  table: 'thread_follows',
  shape: z.object({
    threadId: id,
    userId: id,
    state: z.enum(followStates),
    byChoice: z.boolean(),
    lastReadSeq: count,
    activeAt: time,
  }),
  from: `thread_follows t JOIN threads h ON h.id = t.thread_id AND h.deleted_at IS NULL
    JOIN channels c ON c.id = h.channel_id WHERE c.server_id = $1 ORDER BY t.thread_id, t.user_id`,
  refers: { threadId: 'threads', userId: 'users' },
});

/** The parts of a message that exist only with its thread: messages of a deleted thread are about to be emptied. */
const kept = (column: string, otherwise: string) =>
  `CASE WHEN h.deleted_at IS NULL THEN t.${column} ELSE ${otherwise} END`;

/** A mentioned name, with its position in the content. */
const called = mentionSchema.extend({ token: text(maxContent), label: text(maxContent) });

export const messages = part({
  table: 'messages',
  shape: z
    .object({
      id,
      channelId: id,
      seq: count.min(1),
      authorId: id,
      content: text(maxContent),
      threadId: id.nullable(),
      replyToId: id.nullable(),
      metadata: json(maxMetadataBytes).nullable(),
      mentions: z.array(called).max(maxMentions).nullable(),
      nonce: nonceSchema.nullable(),
      isEdited: z.boolean(),
      pinnedAt: time.nullable(),
      ...times,
      deletedAt: time.nullable(),
    })
    .refine(
      ({ content, mentions }) =>
        (mentions ?? []).every(({ range: { start, end } }) => start >= 0 && start < end && end <= content.length),
      { path: ['mentions'], message: 'must have their ranges within the content' },
    )
    // As in the database: deleting a message removes all of its content.
    .refine(
      ({ deletedAt, content, metadata, mentions, pinnedAt }) =>
        deletedAt === null || (content === '' && metadata === null && mentions === null && pinnedAt === null),
      { path: ['deletedAt'], message: 'must be null for a message that still says something, or is pinned' },
    ),
  from: `messages t JOIN channels c ON c.id = t.channel_id LEFT JOIN threads h ON h.id = t.thread_id
    WHERE c.server_id = $1 ORDER BY t.channel_id, t.seq`,
  select: {
    content: kept('content', "''"),
    threadId: kept('thread_id', 'NULL'),
    metadata: kept('metadata', 'NULL'),
    mentions: kept('mentions', 'NULL'),
    pinnedAt: kept('pinned_at', 'NULL'),
    deletedAt: 'coalesce(t.deleted_at, h.deleted_at)',
  },
  refers: { channelId: 'channels', authorId: 'users', threadId: 'threads', replyToId: 'messages' },
});

export const versions = part({
  table: 'message_versions',
  shape: z.object({
    channelId: id,
    messageId: id,
    version: smallCount.min(1),
    content: text(maxContent),
    editedAt: time,
  }),
  from: `message_versions t JOIN (${liveMessages}) m ON m.channel_id = t.channel_id AND m.id = t.message_id
    JOIN servers s ON s.id = $1 AND s.keep_edit_history ORDER BY m.channel_id, m.seq, t.version`,
  refers: { channelId: 'channels', messageId: 'messages' },
});

export const reactions = part({
  table: 'reactions',
  shape: z.object({ messageId: id, emoji: keptEmojiSchema, userId: id, place: smallCount }),
  from: `reactions t JOIN (${liveMessages}) m ON m.id = t.message_id ORDER BY m.channel_id, m.seq, t.place, t.user_id`,
  refers: { messageId: 'messages', userId: 'users' },
  mergesRepeats: true,
});

export const attachments = part({
  table: 'attachments',
  shape: z.object({
    id,
    uploaderId: id,
    messageId: id,
    place: smallCount,
    sha256,
    filename: text(1024),
    contentType: mediaType,
    size: count,
    width: smallCount.nullable(),
    height: smallCount.nullable(),
    createdAt: time,
  }),
  from: `attachments t JOIN (${liveMessages}) m ON m.id = t.message_id JOIN blobs b ON b.id = t.blob_id
    ORDER BY m.channel_id, m.seq, t.place, t.id`,
  select: { sha256: 'b.hash' },
  refers: { uploaderId: 'users', messageId: 'messages' },
});
