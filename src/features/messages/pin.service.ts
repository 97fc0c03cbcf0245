import type { ChannelAccess } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { maxPins, messagePinned, messageUnpinned } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { countOf } from '../../database/counting.ts';
import type { Database } from '../../database/database.ts';
import type { Changes } from '../../delivery/changes.ts';
import { concealed } from './concealed.ts';
import { concernsBot } from './mentioned-bots.ts';
import type { MessageAccess } from './message.access.ts';
import { isThere, readMessage, selectMessages } from './message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from './message.view.ts';

const pinnedOnes = (
  which: string,
) => `${selectMessages} WHERE m.channel_id = $1 AND m.pinned_at IS NOT NULL AND ${isThere}
  ${which} ORDER BY m.pinned_at DESC, m.seq DESC`;
const pinned = pinnedOnes('');
/** Those that concern bot $2. */
const pinnedFor = pinnedOnes(`AND ${concernsBot('m', '$2::uuid')}`);
const countPins = 'SELECT count(*)::int AS count FROM messages WHERE channel_id = $1 AND pinned_at IS NOT NULL';

/** A channel's pinned messages (contract §6). */
export class PinService {
  private readonly database: Database;
  private readonly changes: Changes;
  private readonly channels: ChannelAccess;
  private readonly access: MessageAccess;

  constructor(parts: {
    database: Database;
    changes: Changes;
    channelAccess: ChannelAccess;
    messageAccess: MessageAccess;
  }) {
    this.database = parts.database;
    this.changes = parts.changes;
    this.channels = parts.channelAccess;
    this.access = parts.messageAccess;
  }

  /** The pinned messages of a channel, most recently pinned first. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async list(actor: Actor, channelId: string): Promise<MessageRecord[]> {
    await this.channels.readable(actor, channelId);
    const bot = await this.channels.onlyFor(actor, channelId);
    const [text, values] = bot === null ? [pinned, [channelId]] : [pinnedFor, [channelId, bot]];
    const rows = await this.database.rows<MessageRow>(text, values);
    return (await concealed(this.database.rows, rows, bot)).map((row) => messageRecord(row, actor.userId));
  }

  /**
   * Pins a message; pinning it again changes nothing.
   * @param channelId where the caller thinks it is; null: anywhere
   * @throws AppError like `MessageAccess.pinnable`, CHANNEL_NOT_FOUND, WRONG_CHANNEL, PIN_LIMIT
   */
  pin(actor: Actor, messageId: string, channelId: string | null): Promise<MessageRecord> {
    return this.set(actor, messageId, channelId, true);
  }

  /** @throws AppError like `pin`, except PIN_LIMIT */
  unpin(actor: Actor, messageId: string, channelId: string | null): Promise<MessageRecord> {
    return this.set(actor, messageId, channelId, false);
  }

  private async set(
    actor: Actor,
    messageId: string,
    channelId: string | null,
    isPinned: boolean,
  ): Promise<MessageRecord> {
    if (channelId !== null) await this.channels.readable(actor, channelId);
    const { channel, row } = await this.access.pinnable(actor, messageId);
    if (channelId !== null && channel.id !== channelId) throw new AppError('WRONG_CHANNEL');
    return this.changes.run(async (change) => {
      await change.lockOpen(channelRoom(channel.id));
      const changed = await change.rows<{ id: string }>(
        `UPDATE messages SET pinned_at = CASE WHEN $2 THEN clock_timestamp() END
         WHERE id = $1 AND deleted_at IS NULL AND (pinned_at IS NULL) = $2 RETURNING id`,
        [row.id, isPinned],
      );
      const now = await readMessage(change.rows, row.id);
      if (changed.length > 0) {
        const event = isPinned ? messagePinned : messageUnpinned;
        change.publish(event.in(channelRoom(channel.id), messageRecord(now, null), now.thread_id));
        if (isPinned && (await countOf(change.rows, countPins, [channel.id])) > maxPins)
          throw new AppError('PIN_LIMIT');
      }
      return messageRecord(now, actor.userId);
    });
  }
}
