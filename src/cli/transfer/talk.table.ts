import { z } from 'zod';
import { maxAttachments, waveformSchema } from '../../contract/attachment.ts';
import { componentsSchema } from '../../contract/component.ts';
import { followStates } from '../../contract/follow.ts';
import { linkPreviewSchema, maxLinkAddress, maxPreviews } from '../../contract/link-preview.ts';
import { maxMentions, mentionSchema } from '../../contract/mention.ts';
import { maxContent, maxMetadataBytes, nonceSchema } from '../../contract/message.ts';
import { keptEmojiSchema } from '../../contract/reaction.ts';
import { withDefault } from '../../contract/schema.ts';
import { count, id, json, label, mediaType, part, sha256, smallCount, text, time, times } from './part.ts';
import { chosenChannels, liveMessages } from './selections.table.ts';

/** Thumbnails stay: they are made anew, once the import is done, by the jobs of nodes (features/media). */
const remakeThumbnails = `INSERT INTO jobs (kind, id, data)
  SELECT 'attachment-thumbnail', gen_random_uuid(), json_build_object('blobId', f.blob_id)
  FROM (SELECT DISTINCT blob_id FROM json_populate_recordset(NULL::attachments, $1::json) WHERE content_type LIKE 'image/%') AS f`;

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
  from: `threads t
    WHERE t.channel_id IN (${chosenChannels}) AND t.deleted_at IS NULL ORDER BY t.channel_id, t.id`,
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
    WHERE h.channel_id IN (${chosenChannels}) ORDER BY t.thread_id, t.user_id`,
  refers: { threadId: 'threads', userId: 'users' },
});

/** The parts of a message that exist only with its thread: messages of a deleted thread are about to be emptied. */
const kept = (column: string, otherwise: string) =>
  `CASE WHEN h.deleted_at IS NULL THEN t.${column} ELSE ${otherwise} END`;

/** A link preview, also one that was removed. */
const previewed = linkPreviewSchema.extend({
  url: text(maxLinkAddress).regex(/^https?:\/\//),
  siteName: text(100).nullable(),
  title: text(300).nullable(),
  description: text(500).nullable(),
  imageUrl: text(maxLinkAddress)
    .regex(/^https?:\/\//)
    .nullable(),
  isRemoved: z.boolean().optional(),
});

const isNone = (part: unknown): boolean => part === null;

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
      // Earlier versions wrote none.
      previews: withDefault(z.array(previewed).max(maxPreviews).nullable(), null),
      components: withDefault(componentsSchema.nullable(), null),
    })
    .refine(
      ({ content, mentions }) =>
        (mentions ?? []).every(({ range: { start, end } }) => start >= 0 && start < end && end <= content.length),
      { path: ['mentions'], message: 'must have their ranges within the content' },
    )
    // As in the database: deleting a message removes all of its content.
    .refine(
      ({ deletedAt, content, ...parts }) =>
        deletedAt === null ||
        (content === '' &&
          [parts.metadata, parts.mentions, parts.pinnedAt, parts.previews, parts.components].every(isNone)),
      { path: ['deletedAt'], message: 'must be null for a message that still says something, or is pinned' },
    ),
  from: `messages t LEFT JOIN threads h ON h.id = t.thread_id
    WHERE t.channel_id IN (${chosenChannels}) ORDER BY t.channel_id, t.seq`,
  select: {
    content: kept('content', "''"),
    threadId: kept('thread_id', 'NULL'),
    metadata: kept('metadata', 'NULL'),
    mentions: kept('mentions', 'NULL'),
    previews: 'CASE WHEN coalesce(t.deleted_at, h.deleted_at) IS NULL THEN t.previews END',
    // Of a message that lost them nothing says so elsewhere: what was used there does not leave.
    components: `CASE WHEN coalesce(t.deleted_at, h.deleted_at) IS NULL AND json_array_length(t.components -> 'items') > 0
      THEN t.components END`,
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

/** What messages forward: from other servers, and from direct messages, too. */
export const forwards = part({
  table: 'message_forwards',
  shape: z.object({
    messageId: id,
    channelId: id,
    sourceId: id,
    authorId: id,
    // The texts of a poll come with it.
    content: text(maxContent + 2000),
    mentions: z.array(called).max(maxMentions).nullable(),
    attachmentIds: z.array(id).max(maxAttachments),
    sentAt: time,
    isWithdrawn: z.boolean(),
  }),
  from: `message_forwards t JOIN (${liveMessages}) m ON m.channel_id = t.channel_id AND m.id = t.message_id
    ORDER BY m.channel_id, m.seq`,
  refers: { messageId: 'messages', channelId: 'channels', authorId: 'users' },
});

export const reactions = part({
  table: 'reactions',
  shape: z.object({
    messageId: id,
    emoji: keptEmojiSchema,
    userId: id,
    place: smallCount,
    // Earlier versions wrote none.
    emojiId: withDefault(id.nullable(), null),
  }),
  from: `reactions t JOIN (${liveMessages}) m ON m.id = t.message_id ORDER BY m.channel_id, m.seq, t.place, t.user_id`,
  // Of an emoji that was removed, or belongs to another server, the name alone is left.
  select: {
    emojiId:
      'CASE WHEN EXISTS (SELECT FROM server_emoji e WHERE e.id = t.emoji_id AND e.server_id = $1) THEN t.emoji_id END',
  },
  refers: { messageId: 'messages', userId: 'users', emojiId: 'server_emoji' },
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
    // Earlier versions wrote none of these.
    durationMs: withDefault(smallCount.nullable(), null),
    isVoice: withDefault(z.boolean(), false),
    waveform: withDefault(waveformSchema.nullable(), null),
    isSpoiler: withDefault(z.boolean(), false),
  }),
  from: `attachments t JOIN (${liveMessages}) m ON m.id = t.message_id JOIN blobs b ON b.id = t.blob_id
    ORDER BY m.channel_id, m.seq, t.place, t.id`,
  select: { sha256: 'b.hash' },
  refers: { uploaderId: 'users', messageId: 'messages' },
  also: remakeThumbnails,
});
