import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { maxPins, messagePinned, messageUnpinned } from '../../contract/message.ts';
import { messagePin, messageUnpin } from '../../contract/message-calls.ts';
import { channelRoom } from '../../contract/rooms.ts';
import type { Context } from '../context.ts';
import type { MessageAccess } from './message.access.ts';
import { concealed } from './message.reader.ts';
import { readMessage } from './message.table.ts';
import { type MessageRecord, messageRecord } from './message.view.ts';
import { countPinned, readPinned, setPinned } from './pin.table.ts';

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
    const rows = await readPinned(this.deps.database.rows, channelId, bot);
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
      const isChanged = await setPinned(change.rows, channel.id, row.id, isPinned);
      const now = await readMessage(change.rows, channel.id, row.id);
      if (isChanged) {
        const event = isPinned ? messagePinned : messageUnpinned;
        change.publish(event.in(channelRoom(channel.id), messageRecord(now, null), now.thread_id));
        const { serverId, id: channelId } = channel;
        const [target, after] = [{ kind: 'message', id: row.id } as const, { authorId: row.author_id }];
        if (serverId) change.audit(isPinned ? messagePin : messageUnpin, { actor, serverId, channelId, target, after });
        if (isPinned && (await countPinned(change.rows, channel.id)) > maxPins) throw new AppError('PIN_LIMIT');
      }
      return messageRecord(now, actor.userId);
    });
  }
}
