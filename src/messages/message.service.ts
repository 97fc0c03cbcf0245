import { v7 as uuid } from 'uuid';
import type { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { ChannelAccess } from '../channels/channel.access.ts';
import type { Database, Rows } from '../database/database.ts';
import { isForeignKeyViolation } from '../database/failures.ts';
import type { Changes } from '../delivery/changes.ts';
import { channelRoom } from '../delivery/entry.ts';
import type { Writer, Written } from '../delivery/writer.ts';
import { AppError } from '../errors.ts';
import type { NotificationQueue } from '../notifications/notification.jobs.ts';
import type { MessageAccess } from './message.access.ts';
import {
  type listMessagesSchema,
  messageDeleted,
  messageNew,
  type messagePageSchema,
  messageUpdated,
  type sendMessageSchema,
} from './message.contract.ts';
import { MessageList } from './message.list.ts';
import { isNoticed } from './message.notices.ts';
import { type NewMessage, selectMessages } from './message.table.ts';
import { headerNonce, type MessageRecord, type MessageRow, messageRecord } from './message.view.ts';

type SendInput = z.output<typeof sendMessageSchema>;

/** Messages: sent through the writer, everything else as ordinary changes (contract §6). */
export class MessageService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly writer: Writer<NewMessage, MessageRecord>;
  private readonly channels: ChannelAccess;
  private readonly access: MessageAccess;
  private readonly notifications: NotificationQueue;
  private readonly pages: MessageList;

  constructor(parts: {
    database: Database;
    changes: Changes;
    writer: Writer<NewMessage, MessageRecord>;
    channelAccess: ChannelAccess;
    messageAccess: MessageAccess;
    notifications: NotificationQueue;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.writer = parts.writer;
    this.channels = parts.channelAccess;
    this.access = parts.messageAccess;
    this.notifications = parts.notifications;
    this.pages = new MessageList(parts.database);
  }

  /**
   * Sends a message. It is committed when this returns; the same nonce (or Idempotency-Key) of the same author in the
   * same channel gives the first message again.
   *
   * @throws AppError CHANNEL_NOT_FOUND, CHANNEL_ARCHIVED, ROLE_REQUIRED, MESSAGE_NOT_FOUND for the one replied to,
   *   DATABASE_UNAVAILABLE
   */
  async send(
    actor: Actor,
    channelId: string,
    input: SendInput,
    idempotencyKey: string | null = null,
  ): Promise<Written<MessageRecord>> {
    const { kind } = await this.channels.postable(actor, channelId);
    if (input.threadId) throw new AppError('THREAD_NOT_FOUND');
    const reply = input.replyToId ? await this.replied(channelId, input.replyToId) : null;
    const nonce = idempotencyKey === null ? (input.nonce ?? null) : headerNonce(idempotencyKey);
    const row: NewMessage = {
      id: uuid(),
      channelId,
      authorId: actor.userId,
      content: input.content,
      threadId: input.threadId ?? null,
      replyToId: input.replyToId ?? null,
      metadata: input.metadata ?? null,
      nonce,
      createdAt: new Date().toISOString(),
      isDirect: kind === 'dm',
    };
    try {
      const written = await this.writer.submit({
        room: channelRoom(channelId),
        row,
        onceKey: nonce === null ? null : `${actor.userId} ${nonce}`,
        size: 512 + row.content.length * 2,
        complete: (seq) => {
          const record = messageRecord(asRow(row, seq, kind, actor, reply), actor.userId);
          return { draft: messageNew.in(channelRoom(channelId), record, row.threadId), result: record };
        },
      });
      if (isNoticed(row)) this.notifications.wake();
      return written;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new AppError('CHANNEL_NOT_FOUND');
      throw error;
    }
  }

  async list(
    actor: Actor,
    channelId: string,
    query: z.output<typeof listMessagesSchema>,
  ): Promise<z.input<typeof messagePageSchema>> {
    await this.channels.readable(actor, channelId);
    const { rows, ...more } = await this.pages.page(channelId, query);
    return { messages: rows.map((row) => messageRecord(row, actor.userId)), ...more };
  }

  async get(actor: Actor, messageId: string): Promise<MessageRecord> {
    const { row } = await this.access.readable(actor, messageId);
    return messageRecord(row, actor.userId);
  }

  async edit(actor: Actor, messageId: string, content: string): Promise<MessageRecord> {
    const { channel } = await this.access.editable(actor, messageId);
    return this.changes.run(async (change) => {
      // The log is locked first: edits of one message are told in the order in which they were made.
      await change.lock(channelRoom(channel.id));
      const updated = await change.rows<{ id: string }>(
        `UPDATE messages SET content = $2, is_edited = true, updated_at = greatest(now(), created_at)
         WHERE id = $1 AND deleted_at IS NULL RETURNING id`,
        [messageId, content],
      );
      if (updated.length === 0) throw new AppError('MESSAGE_NOT_FOUND');
      const row = await this.row(change.rows, messageId);
      change.publish(messageUpdated.in(channelRoom(channel.id), messageRecord(row, null), row.thread_id));
      return messageRecord(row, actor.userId);
    });
  }

  /** @returns what is left of it: its id, channel and number */
  async delete(actor: Actor, messageId: string): Promise<{ id: string; channelId: string; seq: number }> {
    const { row, channel } = await this.access.deletable(actor, messageId);
    const gone = { id: row.id, channelId: channel.id, seq: row.seq };
    await this.changes.run(async (change) => {
      await change.lock(channelRoom(channel.id));
      const deleted = await change.rows<{ id: string }>(
        `UPDATE messages SET content = '', metadata = NULL, deleted_at = now() WHERE id = $1 AND deleted_at IS NULL
         RETURNING id`,
        [messageId],
      );
      if (deleted.length === 0) throw new AppError('MESSAGE_NOT_FOUND');
      change.publish(messageDeleted.in(channelRoom(channel.id), gone, row.thread_id));
    });
    return gone;
  }

  /** Where a thread is, if the actor may read it. @throws AppError THREAD_NOT_FOUND */
  async threadPlace(_actor: Actor, _threadId: string): Promise<{ channelId: string; serverId: string | null }> {
    throw new AppError('THREAD_NOT_FOUND');
  }

  private async replied(channelId: string, messageId: string): Promise<MessageRow> {
    const [row] = await this.database.rows<MessageRow>(`${selectMessages} WHERE m.id = $1 AND m.deleted_at IS NULL`, [
      messageId,
    ]);
    if (row?.channel_id === channelId) return row;
    throw new AppError('MESSAGE_NOT_FOUND', { message: 'There is no such message in this channel to reply to.' });
  }

  private async row(rows: Rows, messageId: string): Promise<MessageRow> {
    const [row] = await rows<MessageRow>(`${selectMessages} WHERE m.id = $1`, [messageId]);
    if (!row) throw new AppError('MESSAGE_NOT_FOUND');
    return row;
  }
}

/** A new message in the form in which it would be read back, without reading it. */
function asRow(
  row: NewMessage,
  seq: number,
  kind: MessageRow['channel_kind'],
  actor: Actor,
  reply: MessageRow | null,
): MessageRow {
  const { user } = actor;
  return {
    id: row.id,
    channel_id: row.channelId,
    channel_kind: kind,
    seq,
    content: row.content,
    author_id: row.authorId,
    username: user.username,
    display_name: user.displayName,
    avatar_url: user.avatarUrl,
    is_bot: user.isBot,
    thread_id: row.threadId,
    reply_to_id: row.replyToId,
    reply_author_id: reply?.author_id ?? null,
    reply_content: reply?.content ?? null,
    reply_deleted: reply ? false : null,
    metadata: row.metadata,
    nonce: row.nonce,
    is_edited: false,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  };
}
