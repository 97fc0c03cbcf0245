import { requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import {
  maxEmoji,
  maxEmojiEach,
  notAnEmoji,
  reactionAdded,
  reactionRemoved,
  reactionUpdated,
} from '../../contract/reaction.ts';
import { channelRoom, threadRoom } from '../../contract/rooms.ts';
import { invalid } from '../../contract/schema/validation.ts';
import { emojiMeant, isOwnForm } from '../../contract/unicode/emoji.ts';
import { pipelined } from '../../database/transaction.ts';
import type { Change } from '../../delivery/changes.ts';
import type { Context } from '../context.ts';
import { holdMessage } from '../messages/edit.table.ts';
import type { FoundMessage, MessageAccess } from '../messages/message.access.ts';
import type { ReactionSummary } from '../messages/message.view.ts';
import {
  countReactions,
  deleteReaction,
  findOwnEmoji,
  insertReaction,
  readReactions,
} from '../messages/reaction.table.ts';

/** The result of a change. */
export interface Reacted {
  reactions: ReactionSummary[];
  /** False: nothing changed. */
  changed: boolean;
}

interface Deps extends Pick<Context, 'database' | 'changes' | 'ephemeral'> {
  messageAccess: MessageAccess;
}

/** Reactions to messages (contract §6). */
export class ReactionService {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError MESSAGE_NOT_FOUND */
  async list(actor: Actor, messageId: string): Promise<ReactionSummary[]> {
    const { row } = await this.deps.messageAccess.readable(actor, messageId);
    return this.deps.database.readCurrent(({ rows }) => readReactions(rows, row.id));
  }

  /** @throws AppError MESSAGE_NOT_FOUND, CHANNEL_ARCHIVED, ROLE_REQUIRED, REACTION_LIMIT, VALIDATION_FAILED for no emoji */
  async add(actor: Actor, messageId: string, emoji: string): Promise<Reacted> {
    const found = await this.deps.messageAccess.open(actor, messageId);
    requireInChannel(found.channel, 'message:react');
    const emojiId = await this.ownEmoji(found.channel.serverId, emoji);
    return this.deps.changes.run(async (change) => {
      const { added, used, reactions } = await pipelined({
        lock: lockMessage(change, found),
        added: change.rows(insertReaction, [messageId, emoji, actor.userId, emojiId]),
        used: change.rows<{ own: number; total: number }>(countReactions, [messageId, actor.userId]),
        reactions: readReactions(change.rows, messageId),
      });
      const isNew = added.length > 0;
      const isTooMuch = used.some(({ own, total }) => own > maxEmojiEach || total > maxEmoji);
      if (isNew && isTooMuch) throw new AppError('REACTION_LIMIT');
      if (isNew) this.publish(change, found, { actor, emoji, companion: reactionAdded, reactions });
      return { reactions, changed: isNew };
    });
  }

  /**
   * Removes a reaction; idempotent.
   * @param typed the emoji in any of its forms, or exactly what earlier versions took
   * @throws AppError MESSAGE_NOT_FOUND, CHANNEL_ARCHIVED
   */
  async remove(actor: Actor, messageId: string, typed: string): Promise<Reacted> {
    const found = await this.deps.messageAccess.open(actor, messageId);
    const forms = [...new Set([emojiMeant(typed), typed])];
    return this.deps.changes.run(async (change) => {
      const { removed, reactions } = await pipelined({
        lock: lockMessage(change, found),
        removed: change.rows<{ emoji: string }>(deleteReaction, [messageId, forms, actor.userId]),
        reactions: readReactions(change.rows, messageId),
      });
      const [first] = removed;
      if (first) this.publish(change, found, { actor, emoji: first.emoji, companion: reactionRemoved, reactions });
      return { reactions, changed: first !== undefined };
    });
  }

  /** The id of a server's own emoji; null for one that everyone has. @throws AppError VALIDATION_FAILED for any other name */
  private async ownEmoji(serverId: string | null, emoji: string): Promise<string | null> {
    if (!isOwnForm(emoji)) return null;
    const { rows } = this.deps.database;
    const id = serverId === null ? undefined : await findOwnEmoji(rows, serverId, emoji.slice(1, -1));
    if (id === undefined) throw invalid([{ path: 'emoji', message: notAnEmoji, code: 'custom' }]);
    return id;
  }

  private publish(
    change: Change,
    { row }: FoundMessage,
    {
      actor,
      emoji,
      companion,
      reactions,
    }: {
      actor: Actor;
      emoji: string;
      companion: typeof reactionAdded | typeof reactionRemoved;
      reactions: ReactionSummary[];
    },
  ): void {
    const { channel_id: channelId, thread_id: threadId } = row;
    const data = { messageId: row.id, channelId, seq: row.seq, reactions };
    change.publish(reactionUpdated.in(channelRoom(channelId), data, threadId));
    const rooms = [channelRoom(channelId), ...(threadId ? [threadRoom(threadId)] : [])];
    change.afterCommit(() => {
      this.deps.ephemeral.emit(rooms, companion, { messageId: row.id, channelId, userId: actor.userId, emoji });
    });
  }
}

/** Until the commit the message stays, and nobody else reacts to it. */
async function lockMessage(change: Change, { row }: FoundMessage): Promise<void> {
  await pipelined({
    log: change.lockOpen(channelRoom(row.channel_id)),
    message: holdMessage(change.rows, row.channel_id, row.id),
  });
}
