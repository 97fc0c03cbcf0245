import { type ChannelAccess, type ChannelWithRights, requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError, missingAs } from '../../contract/errors.ts';
import { may, requireNoTimeout, requirePermission } from '../../contract/roles.ts';
import type { Database } from '../../database/database.ts';
import { ownsBot } from '../accounts/agent.access.ts';
import { concerningAmong, isCommandFor } from './bots.table.ts';
import { findMessage } from './message.table.ts';
import type { MessageRow } from './message.view.ts';

/** A message with its channel, as an actor may see it. */
export interface FoundMessage {
  row: MessageRow;
  channel: ChannelWithRights;
}

/** For callers that asked for a message: without its channel it does not exist for them. */
export const gone = missingAs('MESSAGE_NOT_FOUND');

/** The only way to get a message on behalf of an actor. */
export class MessageAccess {
  private readonly database: Database;
  private readonly channels: ChannelAccess;

  constructor(database: Database, channels: ChannelAccess) {
    this.database = database;
    this.channels = channels;
  }

  /**
   * A message that the actor may read. For those who may not know of its channel it does not exist.
   * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER
   */
  async readable(actor: Actor, messageId: string): Promise<FoundMessage> {
    return this.seen(actor, await this.find(messageId));
  }

  /** A bot reads what it is pushed: what concerns it, and its commands even where it may not listen (contract §4). */
  private async seen(actor: Actor, row: MessageRow): Promise<FoundMessage> {
    const { rows } = this.database;
    const channel = await this.channels.entered(actor, row.channel_id).catch(gone);
    if (!actor.user.isBot) return { row, channel };
    if (!(await this.channels.mayListen(actor, channel.id))) {
      const isCommanded = await this.channels.mayBeCommanded(actor, channel.id);
      const isTold = isCommanded && (await isCommandFor(rows, actor.userId, row.id));
      if (!isTold) await this.channels.readable(actor, channel.id);
    } else if (await this.channels.onlyFor(actor, channel.id)) {
      if (!(await concerningAmong(rows, actor.userId, [row.id])).has(row.id)) throw new AppError('MESSAGE_NOT_FOUND');
    }
    return { row, channel };
  }

  /**
   * A message that the actor may read, or its own in a channel that it is in: a bot that may not listen there may still
   * edit and delete its own messages.
   * @throws AppError like `readable`
   */
  private async known(actor: Actor, messageId: string): Promise<FoundMessage> {
    const row = await this.find(messageId);
    if (row.author_id !== actor.userId) return this.seen(actor, row);
    return { row, channel: await this.channels.entered(actor, row.channel_id).catch(gone) };
  }

  private async find(messageId: string): Promise<MessageRow> {
    const row = await findMessage(this.database.rows, messageId);
    if (!row) throw new AppError('MESSAGE_NOT_FOUND');
    return row;
  }

  /**
   * A message that the actor may react to.
   * @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER, TIMED_OUT, CHANNEL_ARCHIVED, BLOCKED, USER_BLOCKED,
   *   FORBIDDEN for a bot that may not reply
   */
  async open(actor: Actor, messageId: string): Promise<FoundMessage> {
    return this.requireOpen(actor, await this.readable(actor, messageId));
  }

  private async requireOpen(actor: Actor, found: FoundMessage): Promise<FoundMessage> {
    await this.channels.requireVoice(actor, found.channel);
    if (found.channel.isArchived) throw new AppError('CHANNEL_ARCHIVED');
    await this.channels.requireUnblocked(actor, found.channel);
    return found;
  }

  /** A message that the actor may change: its own. @throws AppError like `open`, FORBIDDEN, ROLE_REQUIRED */
  async editable(actor: Actor, messageId: string): Promise<FoundMessage> {
    const found = await this.requireOpen(actor, await this.known(actor, messageId));
    if (found.row.author_id !== actor.userId) {
      throw new AppError('FORBIDDEN', { message: 'Only its author may edit a message.' });
    }
    // An edit says something new.
    requireInChannel(found.channel, 'message:post');
    return found;
  }

  /**
   * A message that the actor may add files to: its own, where it may still post. @throws AppError like `editable`, ROLE_REQUIRED
   */
  async extendable(actor: Actor, messageId: string): Promise<FoundMessage> {
    const found = await this.editable(actor, messageId);
    requireInChannel(await this.channels.postable(actor, found.channel.id).catch(gone), 'file:attach');
    return found;
  }

  /**
   * A message that the actor may delete: its own, that of its bot, and for moderators that of others (contract §6).
   * @throws AppError like `readable`, FORBIDDEN
   */
  async deletable(actor: Actor, messageId: string): Promise<FoundMessage> {
    const found = await this.known(actor, messageId);
    if (found.row.author_id === actor.userId) return found;
    if (may(found.channel.rights, 'message:delete-others')) return found;
    if (found.row.is_bot && (await ownsBot(this.database.db, actor, found.row.author_id))) return found;
    requireNoTimeout(found.channel.rights);
    throw new AppError('FORBIDDEN', { message: 'Only its author and moderators may delete a message.' });
  }

  /**
   * A message that the actor may pin: moderators in a server, everyone in a DM (contract §13).
   * @throws AppError like `open`, ROLE_REQUIRED
   */
  async pinnable(actor: Actor, messageId: string): Promise<FoundMessage> {
    const found = await this.open(actor, messageId);
    if (found.channel.kind === 'server') requirePermission(found.channel.rights, 'message:pin');
    return found;
  }
}
