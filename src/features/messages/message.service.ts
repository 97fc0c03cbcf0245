import type { z } from 'zod';
import type { ChannelWithRights } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { AppError } from '../../contract/errors.ts';
import { type MessageEdit, type messageDeleted, messageTyping, type typingSchema } from '../../contract/message.ts';
import { messageDelete } from '../../contract/message-calls.ts';
import { may } from '../../contract/roles.ts';
import { channelRoom, threadRoom } from '../../contract/rooms.ts';
import { pipelined } from '../../database/transaction.ts';
import type { Written } from '../../delivery/batch.ts';
import type { Writer } from '../../delivery/writer.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { flagKind } from '../../jobs/flag.jobs.ts';
import { insertJobs } from '../../jobs/notification.jobs.ts';
import { linksKind } from '../../jobs/preview.jobs.ts';
import type { Context } from '../context.ts';
import { type Filters, textsIn } from '../filters/filters.ts';
import type { MentionService } from '../mentions/mention.service.ts';
import type { Captures } from './captures.ts';
import { asRefusal } from './forward.limits.ts';
import { asHeadMoved, requireFollowing } from './head.table.ts';
import { type Holding, Withheld } from './holding.ts';
import type { LoopGuard } from './loop-guard.ts';
import type { MessageAccess } from './message.access.ts';
import {
  asRow,
  flagOf,
  type MessageComposer,
  mayPreview,
  onceKeysOf,
  requireBot,
  type SendInput,
  type SendOptions,
} from './message.composer.ts';
import { applyEdit, type EditOptions, heldEdit, publishUpdated } from './message.edit.ts';
import { eraseAndTell } from './message.erasure.ts';
import { linksIn } from './message.links.ts';
import { isNoticed, newlyNamed } from './message.notices.ts';
import { MessageReader } from './message.reader.ts';
import { sentByKey, sentByNonce } from './message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from './message.view.ts';
import type { NewMessage } from './new-message.ts';
import { asSlowMode, requireNotSlowed } from './slow-mode.ts';
import { mayBeStale, StaleMessage } from './stale-message.table.ts';
import { retitle } from './thread.view.ts';

/** How often a message is composed when what it refers to changes while it is being sent. */
const composeAttempts = 5;

interface Deps
  extends Pick<
    Context,
    | 'database'
    | 'delivery'
    | 'caches'
    | 'changes'
    | 'jobs'
    | 'ephemeral'
    | 'channelAccess'
    | 'threadAccess'
    | 'notifications'
    | 'settings'
  > {
  writer: Writer<NewMessage, MessageRecord>;
  messageAccess: MessageAccess;
  composer: MessageComposer;
  mentions: MentionService;
  filters: Filters;
  holding: Holding;
  loopGuard: LoopGuard;
  captures: Captures;
}

/** Messages: sends go through the writer, everything else is an ordinary change (contract §6). */
export class MessageService {
  private readonly deps: Deps;
  readonly reader: MessageReader;

  constructor(deps: Deps) {
    this.deps = deps;
    this.reader = new MessageReader(deps);
  }

  /**
   * Sends a message. It is committed when this returns; the same nonce or Idempotency-Key of the same author in the same
   * channel returns the first message again.
   *
   * What a rehearsing bot sends is captured in place of that (see Captures).
   *
   * @throws AppError like `ChannelAccess.postable` and `MessageComposer.compose`, MESSAGE_HELD where a moderator decides
   *   first, HELD_LIMIT, BOT_LOOP, SLOW_MODE, HEAD_MOVED with the new head, and two after which the same nonce
   *   may be sent again: DATABASE_UNAVAILABLE, when it may have been committed, and SERVER_BUSY, when it was not
   */
  send(
    actor: Actor,
    channelId: string,
    input: SendInput,
    options: SendOptions = { idempotencyKey: null },
  ): Promise<Written<MessageRecord>> {
    const rehearsalId = actor.agent?.rehearsalId;
    if (rehearsalId) return this.deps.captures.capture(actor, rehearsalId, channelId, input, options);
    const send = () => this.sendNow(actor, channelId, input, options);
    if (!actor.user.isBot || actor.hookChannelId) return send();
    return this.deps.loopGuard.inTurn(channelId, async () => {
      const { result, repeated } = await send();
      return { result: await this.reader.asHeard(actor, result), repeated };
    });
  }

  private async sendNow(
    actor: Actor,
    channelId: string,
    input: SendInput,
    options: SendOptions,
  ): Promise<Written<MessageRecord>> {
    try {
      const channel = await this.deps.channelAccess.postable(actor, channelId);
      return await this.write(actor, channel, input, options);
    } catch (error) {
      // If the database does not answer, or is overloaded, another query would only take as long again.
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      // This may be a retry: the first send used up what it needs, or that was removed since.
      const earlier = await this.sentBefore(actor, channelId, input.nonce, options.idempotencyKey);
      if (earlier) return { result: earlier, repeated: true };
      if (error instanceof Withheld) throw await this.withheld(actor, channelId, error);
      if (error.code === 'CHANNEL_NOT_FOUND') {
        // Its log was closed after the access check; checking again says why.
        this.deps.channelAccess.forgetHere(channelId);
        await this.deps.channelAccess.postable(actor, channelId);
      }
      throw error;
    }
  }

  /** Any message sent with an Idempotency-Key within the last day. @throws AppError CHANNEL_NOT_FOUND, NOT_A_MEMBER */
  async sentWith(actor: Actor, channelId: string, idempotencyKey: string): Promise<MessageRecord | undefined> {
    const first = await this.sentBefore(actor, channelId, null, idempotencyKey);
    return first && this.reader.asHeard(actor, first);
  }

  /** @throws AppError MESSAGE_NOT_FOUND, NOT_A_MEMBER */
  async get(actor: Actor, messageId: string): Promise<MessageRecord> {
    const { row, channel } = await this.deps.messageAccess.readable(actor, messageId);
    const [shown] = await this.reader.concealed([row], await this.deps.channelAccess.onlyFor(actor, channel.id));
    return messageRecord(shown ?? row, actor.userId);
  }

  /**
   * Replaces the text of a message, everywhere, and the components of a bot's. The same again changes nothing.
   * @throws AppError like `MessageAccess.editable`, VALIDATION_FAILED when nothing would be left to show, MESSAGE_REFUSED,
   *   MESSAGE_HELD, HELD_LIMIT, FORBIDDEN for people with components
   */
  async edit(actor: Actor, messageId: string, edit: MessageEdit, options: EditOptions = {}): Promise<MessageRecord> {
    const { row, channel } = await this.deps.messageAccess.editable(actor, messageId);
    if (edit.components) requireBot(actor);
    const { content = row.content, components } = edit;
    const { isApproved, namesNobody = false } = options;
    const isNew = content !== row.content || components;
    const flag = isApproved || !isNew ? null : await this.judgeEdit(actor, channel, row, { ...edit, namesNobody });
    const mentions = namesNobody ? [] : await this.deps.mentions.find(actor, channel, content, row.mentions ?? []);
    const users = newlyNamed(row.mentions ?? [], mentions);
    const edited = await this.deps.changes.run(async (change) => {
      const { isReworded, isChanged, message } = await applyEdit(change, row, edit, mentions);
      if (!isChanged) return messageRecord(message, actor.userId);
      if (flag) await this.deps.jobs.add(change, flagKind, { messageId, content, ...flag });
      if (isReworded && mayPreview(this.deps.settings, channel.kind) && linksIn(content).length > 0) {
        await this.deps.jobs.add(change, linksKind, { messageId, channelId: channel.id });
      }
      if (isReworded) {
        await insertJobs(change.rows, [{ job: 'edit', messageId, users, at: dateNow().toISOString() }]);
        change.afterCommit(() => this.deps.notifications.wake());
      }
      return messageRecord(await publishUpdated(change, row.channel_id, messageId), actor.userId);
    });
    return actor.user.isBot ? this.reader.asHeard(actor, edited) : edited;
  }

  /** @returns what remains of it: its id, place, number and author. @throws AppError like `MessageAccess.deletable` */
  async delete(actor: Actor, messageId: string): Promise<z.output<typeof messageDeleted.payload>> {
    const { row, channel } = await this.deps.messageAccess.deletable(actor, messageId);
    const { id, seq, thread_id: threadId, author_id: authorId } = row;
    const gone = { id, channelId: channel.id, seq, threadId, authorId };
    await this.deps.changes.run(async (change) => {
      await pipelined({ lock: change.lock(channelRoom(channel.id)), title: retitle(change, row.id, '') });
      if ((await eraseAndTell(change, [gone])) === 0) throw new AppError('MESSAGE_NOT_FOUND');
      const { serverId, rights } = channel;
      const target = { kind: 'message', id } as const;
      if (authorId !== actor.userId && serverId && may(rights, 'message:delete-others')) {
        change.audit(messageDelete, { actor, serverId, channelId: channel.id, target, before: { authorId } });
      }
      // Quotes of it are updated at once instead of at the next poll for jobs.
      change.afterCommit(() => this.deps.notifications.wake());
    });
    return gone;
  }

  /** Publishes to the others that the actor is typing. @throws AppError like `send` */
  async typing(actor: Actor, input: z.output<typeof typingSchema>, socketId: string): Promise<void> {
    const { channelId, typing } = input;
    const channel = await this.deps.channelAccess.postable(actor, channelId);
    if (input.threadId) await this.deps.threadAccess.requirePostable(actor, channel.id, input.threadId);
    const { username, displayName } = actor.user;
    const threadId = input.threadId ?? null;
    const data = { channelId, threadId, userId: actor.userId, username, displayName, typing };
    const rooms = threadId ? [channelRoom(channelId), threadRoom(threadId)] : [channelRoom(channelId)];
    this.deps.ephemeral.emit(rooms, messageTyping, data, socketId);
  }

  /**
   * Components cannot wait for a moderator: with them, what would be held is refused.
   * @returns what moderators are to be told of it. @throws AppError MESSAGE_REFUSED, MESSAGE_HELD, HELD_LIMIT
   */
  private async judgeEdit(
    actor: Actor,
    channel: ChannelWithRights,
    row: MessageRow,
    { content = row.content, components, namesNobody }: MessageEdit & { namesNobody: boolean },
  ): Promise<NewMessage['flag']> {
    const texts = () => [content, ...(components ? textsIn(components.items) : [])];
    const verdict = await this.deps.filters.judge(actor, channel, texts);
    if (verdict?.action === 'refuse') throw new AppError('MESSAGE_REFUSED');
    if (verdict?.action !== 'hold') return flagOf(channel, verdict);
    if (components !== undefined) throw new AppError('MESSAGE_REFUSED');
    const edit = heldEdit(row, content, verdict, namesNobody);
    throw await this.deps.holding.hold(actor, channel, edit);
  }

  /** Holds what is not let through. @returns the answer for its author */
  private async withheld(actor: Actor, channelId: string, { draft }: Withheld): Promise<AppError> {
    return this.deps.holding.hold(actor, await this.deps.channelAccess.postable(actor, channelId), draft);
  }

  private async write(actor: Actor, found: ChannelWithRights, input: SendInput, options: SendOptions) {
    let channel = found;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.writeOnce(actor, channel, input, options);
      } catch (error) {
        const lostAccess = error instanceof AppError && error.code === 'ACCESS_CHANGED';
        if (!(error instanceof StaleMessage) && !lostAccess) throw error;
        if (attempt === composeAttempts) throw new AppError('SERVER_BUSY');
        // Throws the exact error; a role with fewer rights may still be able to write here.
        if (lostAccess) channel = await this.deps.channelAccess.postable(actor, channel.id);
        else if (input.threadId) this.deps.threadAccess.forgetHere(input.threadId);
      }
    }
  }

  private async writeOnce(actor: Actor, channel: ChannelWithRights, input: SendInput, options: SendOptions) {
    if (!options.heldId) await requireNotSlowed(this.deps.database.rows, actor, channel);
    const message = await this.deps.composer.compose(actor, channel, input, options);
    const { row } = message;
    await requireFollowing(this.deps.database.rows, row);
    if (!row.answersUse) row.lastBotSeq = await this.deps.loopGuard.check(actor, channel.id, row.threadId);
    const record = messageRecord(asRow(message, actor, channel), actor.userId);
    const write = {
      room: channelRoom(channel.id),
      row,
      onceKeys: onceKeysOf(row),
      threadId: row.threadId,
      json: JSON.stringify({ ...record, seq: undefined }),
      complete: (seq: number) => Object.assign(record, { seq }),
    };
    const written = await this.deps.writer
      .submit(write, mayBeStale(row) ? undefined : options.queued)
      .catch(asSlowMode)
      .catch(asRefusal)
      .catch(asHeadMoved);
    if (isNoticed(row)) this.deps.notifications.wake();
    if (row.flag) this.deps.jobs.wake(flagKind.name);
    if (row.hasLinks) this.deps.jobs.wake(linksKind.name);
    return written;
  }

  /** Those still in the channel may know what they sent, even if they may no longer send (contract §1). */
  private async sentBefore(
    actor: Actor,
    channelId: string,
    nonce: string | null | undefined,
    key: string | null,
  ): Promise<MessageRecord | undefined> {
    await this.deps.channelAccess.entered(actor, channelId);
    const by = async (text: string, value: string | null | undefined) =>
      value ? (await this.deps.database.rows<MessageRow>(text, [channelId, actor.userId, value]))[0] : undefined;
    const row = (await by(sentByKey, key)) ?? (await by(sentByNonce, nonce));
    return row && messageRecord(row, actor.userId);
  }
}
