import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { maxPins, messagePinned, messageUnpinned } from '../../contract/message.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { countOf } from '../../database/statements.ts';
import type { Context } from '../context.ts';
import { concernsBot } from './mentioned-bots.ts';
import type { MessageAccess } from './message.access.ts';
import { concealed } from './message.reader.ts';
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

interface Deps extends Pick<Context, 'database' | 'changes' | 'channelAccess'> {
  messageAccess: MessageAccess;
}

/** A channel's pinned messages (contract §6). */
export class PinService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The pinned messages of a channel, most recently pinned first. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async list(actor: Actor, channelId: string): Promise<MessageRecord[]> {
    await this.deps.channelAccess.readable(actor, channelId);
    const bot = await this.deps.channelAccess.onlyFor(actor, channelId);
    const [text, values] = bot === null ? [pinned, [channelId]] : [pinnedFor, [channelId, bot]];
    const rows = await this.deps.database.rows<MessageRow>(text, values);
    return (await concealed(this.deps.database.rows, rows, bot)).map((row) => messageRecord(row, actor.userId));
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
    if (channelId !== null) await this.deps.channelAccess.readable(actor, channelId);
    const { channel, row } = await this.deps.messageAccess.pinnable(actor, messageId);
    if (channelId !== null && channel.id !== channelId) throw new AppError('WRONG_CHANNEL');
    return this.deps.changes.run(async (change) => {
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
