import type { Actor } from '../access/actor.ts';
import type { ChannelAccess, OpenChannel } from '../channels/channel.access.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { selectMessages } from './message.table.ts';
import type { MessageRow } from './message.view.ts';

const oneMessage = `${selectMessages} WHERE m.id = $1 AND m.deleted_at IS NULL`;

/** The only way to get at a message on behalf of someone. */
export class MessageAccess {
  private readonly database: Database;
  private readonly channels: ChannelAccess;

  constructor(database: Database, channels: ChannelAccess) {
    this.database = database;
    this.channels = channels;
  }

  /**
   * A message that the actor may read, with its channel. To those who may not read the channel there is no message.
   * @throws AppError MESSAGE_NOT_FOUND
   */
  async readable(actor: Actor, messageId: string): Promise<{ row: MessageRow; channel: OpenChannel }> {
    const [row] = await this.database.rows<MessageRow>(oneMessage, [messageId]);
    if (!row) throw new AppError('MESSAGE_NOT_FOUND');
    const channel = await this.channels.readable(actor, row.channel_id).catch((error) => {
      throw error instanceof AppError && error.status === 404 ? new AppError('MESSAGE_NOT_FOUND') : error;
    });
    return { row, channel };
  }

  /** A message that the actor may change: its own. @throws AppError MESSAGE_NOT_FOUND, FORBIDDEN */
  async editable(actor: Actor, messageId: string): Promise<{ row: MessageRow; channel: OpenChannel }> {
    const found = await this.readable(actor, messageId);
    if (found.row.author_id !== actor.userId) {
      throw new AppError('FORBIDDEN', { message: 'Only its author may edit a message.' });
    }
    if (found.channel.isArchived) throw new AppError('CHANNEL_ARCHIVED');
    return found;
  }

  /** A message that the actor may delete: its own, and as a moderator that of others. @throws AppError */
  async deletable(actor: Actor, messageId: string): Promise<{ row: MessageRow; channel: OpenChannel }> {
    const found = await this.readable(actor, messageId);
    const { role } = found.channel;
    const moderates = role === 'owner' || role === 'admin' || role === 'moderator';
    if (found.row.author_id === actor.userId || moderates) return found;
    throw new AppError('FORBIDDEN', { message: 'Only its author and moderators may delete a message.' });
  }
}
