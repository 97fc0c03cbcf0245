import type { z } from 'zod';
import type { SmallUser } from '../../contract/actor.ts';
import type { AttachmentRecord } from '../../contract/attachment.ts';
import { type ChannelKind, isDirect } from '../../contract/channel.ts';
import type { Components } from '../../contract/component.ts';
import type { LinkPreview } from '../../contract/link-preview.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { messageSchema } from '../../contract/message.ts';
import { quoteOf } from '../../contract/quote.ts';
import type { reactionSchema } from '../../contract/reaction.ts';
import { isoTime, isoTimeOrNull } from '../../contract/schema.ts';
import type { KeptPreview } from '../../database/entities/message.entity.ts';
import { columnsOf, type UserColumns, userOf } from '../accounts/account.view.ts';
import type { AttachmentRow } from './attachment.table.ts';
import type { ForwardRow } from './forward.table.ts';
import type { PollRow } from './poll.table.ts';
import { pollRecord } from './poll.view.ts';

export const mediaPath = (id: string): string => `/api/media/${id}`;

export function attachmentRecord(row: AttachmentRow): AttachmentRecord {
  return {
    id: row.id,
    url: mediaPath(row.id),
    filename: row.filename,
    contentType: row.content_type,
    size: row.size,
    width: row.width,
    height: row.height,
    thumbnailUrl: row.thumbnail_blob_id === null ? null : `${mediaPath(row.id)}?size=thumbnail`,
    durationMs: row.duration_ms,
    voice: row.is_voice,
    waveform: row.waveform,
    isSpoiler: row.is_spoiler,
  };
}

export type ReactionSummary = z.output<typeof reactionSchema>;

export type MessageRecord = z.output<typeof messageSchema>;

/** What all messages have: a row of `messages`. */
export interface PlainRow {
  id: string;
  seq: number;
  content: string;
  author_id: string;
  thread_id: string | null;
  metadata: Record<string, unknown> | null;
  mentions: MentionRecord[] | null;
  previews: KeptPreview[] | null;
  components: Components | null;
  nonce: string | null;
  is_edited: boolean;
  answers_to: number | null;
  is_pinned: boolean;
  created_at: string | Date;
  updated_at: string | Date;
}

/** The same with its author and channel, the message that it replies to, and what is attached to it. */
export interface MessageRow extends PlainRow, UserColumns {
  /** It has none of what only some messages have. */
  is_plain?: true;
  channel_id: string;
  kind: ChannelKind;
  is_deleted: boolean;
  reply_to_id: string | null;
  reply_author_id: string | null;
  reply_content: string | null;
  reply_deleted: boolean | null;
  /** The thread that starts from it. */
  own_thread_id: string | null;
  own_thread_name: string | null;
  own_thread_count: number | null;
  own_thread_last: string | Date | null;
  attachments: AttachmentRow[] | null;
  reactions: ReactionSummary[] | null;
  poll: PollRow | null;
  /** What it forwards. */
  forwarded: ForwardRow | null;
}

/** The optional fields of a message that has none of them. */
const noExtras = {
  is_plain: true,
  is_deleted: false,
  reply_to_id: null,
  reply_author_id: null,
  reply_content: null,
  reply_deleted: null,
  own_thread_id: null,
  own_thread_name: null,
  own_thread_count: null,
  own_thread_last: null,
  attachments: null,
  reactions: null,
  poll: null,
  forwarded: null,
} as const;

/** A message without a reply, files, reactions and a thread. */
export function plainMessage(row: PlainRow, author: SmallUser, channel: { id: string; kind: ChannelKind }): MessageRow {
  return { ...row, ...columnsOf(author), ...noExtras, channel_id: channel.id, kind: channel.kind };
}

/** The fields that replace those of a deleted message. */
const nothing = {
  content: '',
  attachments: [],
  reactions: [],
  mentions: [],
  metadata: null,
  previews: [],
  forwarded: undefined,
  components: undefined,
  isDeleted: true,
};

/** @param viewerId whose nonces are shown; null: nobody's */
export function messageRecord(row: MessageRow, viewerId: string | null): MessageRecord {
  const record = fullRecord(row, viewerId);
  return row.is_deleted ? { ...record, ...nothing } : record;
}

function fullRecord(row: MessageRow, viewerId: string | null): MessageRecord {
  return {
    id: row.id,
    channelId: row.channel_id,
    ...(isDirect(row.kind) ? { dmChannelId: row.channel_id } : {}),
    seq: row.seq,
    content: row.content,
    authorId: row.author_id,
    author: userOf(row.author_id, row),
    threadId: row.thread_id,
    replyToId: row.reply_to_id,
    replyTo: replyPreview(row),
    thread: ownThread(row),
    attachments: ownFiles(row),
    reactions: row.reactions ?? [],
    mentions: row.mentions ?? [],
    metadata: row.metadata,
    ...(row.author_id === viewerId ? shownNonce(row.nonce) : {}),
    isEdited: row.is_edited,
    isPinned: row.is_pinned,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    previews: previewsOf(row),
    ...componentsOf(row),
    ...(row.poll && !row.is_deleted ? { poll: pollRecord(row.poll) } : {}),
    ...(row.answers_to === null ? {} : { answersTo: row.answers_to }),
    ...(row.forwarded ? { forwarded: forwardedRecord(row.forwarded, row.attachments) } : {}),
  };
}

/** A message whose components were all taken away has no such field. */
export const componentsOf = ({ components }: Pick<PlainRow, 'components'>): Pick<MessageRecord, 'components'> =>
  components && components.items.length > 0 ? { components } : {};

/** Those that were not removed. */
export function previewsOf({ previews }: Pick<PlainRow, 'previews'>): LinkPreview[] {
  return (previews ?? []).flatMap(({ isRemoved, ...preview }) => (isRemoved ? [] : preview));
}

/** The files that were sent with it, without those of what it forwards. */
export function ownFiles({
  attachments,
  forwarded,
}: Pick<MessageRow, 'attachments' | 'forwarded'>): AttachmentRecord[] {
  const others = new Set(forwarded?.attachmentIds);
  return (attachments ?? []).filter(({ id }) => !others.has(id)).map(attachmentRecord);
}

/** @param files all of the message */
export function forwardedRecord(
  { sourceId, author, content, mentions, attachmentIds, sentAt, isWithdrawn }: ForwardRow,
  files: AttachmentRow[] | null,
): MessageRecord['forwarded'] {
  const attachments = (files ?? []).filter(({ id }) => attachmentIds.includes(id)).map(attachmentRecord);
  const said = {
    messageId: sourceId,
    author,
    content,
    attachments,
    mentions: mentions ?? [],
    createdAt: isoTime(sentAt),
  };
  return isWithdrawn ? { ...said, isWithdrawn } : said;
}

function ownThread(row: MessageRow): MessageRecord['thread'] {
  if (row.own_thread_id === null) return null;
  return {
    id: row.own_thread_id,
    name: row.own_thread_name ?? '',
    messageCount: row.own_thread_count ?? 0,
    lastMessageAt: isoTimeOrNull(row.own_thread_last),
  };
}

function replyPreview(row: MessageRow): MessageRecord['replyTo'] {
  if (row.reply_to_id === null || row.reply_author_id === null) return null;
  const deleted = row.reply_deleted ?? true;
  const content = deleted ? '' : quoteOf(row.reply_content ?? '', 200);
  return { id: row.reply_to_id, authorId: row.reply_author_id, content, deleted };
}

/** A message without a nonce has no such field. */
export function shownNonce(nonce: string | null): { nonce?: string } {
  return nonce === null ? {} : { nonce };
}
