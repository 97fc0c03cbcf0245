import type { z } from 'zod';
import { type ChannelWithRights, requireInChannel } from '../../access/channel.access.ts';
import type { Actor } from '../../contract/actor.ts';
import { type ChannelKind, isDirect } from '../../contract/channel.ts';
import { AppError } from '../../contract/errors.ts';
import type { MentionRecord } from '../../contract/mention.ts';
import type { sendMessageSchema } from '../../contract/message.ts';
import { isoTime } from '../../contract/schema.ts';
import { requireAhead } from '../../infrastructure/ahead.ts';
import { dateNow } from '../../infrastructure/clock.ts';
import { newId } from '../../infrastructure/ids.ts';
import type { Settings } from '../../settings/settings.ts';
import type { StorageAllowance } from '../blobs/allowance.ts';
import type { Context } from '../context.ts';
import { type Filters, textsIn, type Verdict } from '../filters/filters.ts';
import type { MentionService } from '../mentions/mention.service.ts';
import { type AttachmentRow, uploadsOf } from './attachment.table.ts';
import type { CommandDirectory } from './command-directory.ts';
import type { ForwardRow } from './forward.table.ts';
import { type Forwarding, forwardingOf, keptForwarding } from './forwarding.ts';
import { type Hearing, hearingOf } from './hearing.ts';
import type { HeldDraft } from './held.table.ts';
import { Withheld } from './holding.ts';
import type { MessageAccess } from './message.access.ts';
import { linksIn } from './message.links.ts';
import { findMessage } from './message.table.ts';
import type { MessageRow } from './message.view.ts';
import type { NewMessage } from './new-message.ts';
import { freshPoll } from './poll.view.ts';
import { slowModeFor } from './slow-mode.ts';

export type SendInput = z.output<typeof sendMessageSchema>;

/** How a message is sent, beside its content. */
export interface SendOptions {
  idempotencyKey: string | null;
  /** Called once no later send can overtake it any more; often before it is committed. */
  queued?(): void;
  /** It was held under this id, and is published by a moderator: filters let it through. */
  heldId?: string;
  /** What it forwards, as the moderator has seen it. */
  heldForward?: ForwardRow | null;
  /** What its author, a bot that answers, was given when it was held. */
  heldHearing?: Hearing | null;
  /** It was scheduled under this id, which its files are kept for. */
  scheduledId?: string;
  /** It mentions nobody, whatever is in it: of incoming webhooks, whose senders say so. */
  namesNobody?: boolean;
  /** A bot replies to what a person used or invoked. */
  answersUse?: boolean;
}

/** A message that is ready to be written, with what its record needs. */
export interface ComposedMessage {
  row: NewMessage;
  reply: MessageRow | null;
  files: AttachmentRow[];
  forwarding: Forwarding | null;
}

interface Deps extends Pick<Context, 'database' | 'threadAccess' | 'policyAccess' | 'settings'> {
  filters: Filters;
  mentions: MentionService;
  commands: CommandDirectory;
  messageAccess: MessageAccess;
  allowance: StorageAllowance;
}

/** Turns input into messages, looking up what they refer to. Plain ones need no query. */
export class MessageComposer {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /**
   * @throws AppError THREAD_NOT_FOUND, THREAD_ARCHIVED, MESSAGE_NOT_FOUND for the one replied to or forwarded, NOT_A_MEMBER,
   *   QUOTA_EXCEEDED for the latter, ATTACHMENT_NOT_FOUND, ATTACHMENT_INVALID, VALIDATION_FAILED, MESSAGE_REFUSED, ROLE_REQUIRED
   *   for files where they may not be attached, FORBIDDEN for people with components or who answer as a bot, and Withheld for what is
   *   to be held
   */
  async compose(
    actor: Actor,
    channel: ChannelWithRights,
    input: SendInput,
    options: SendOptions,
  ): Promise<ComposedMessage> {
    const { idempotencyKey, heldId, namesNobody = false } = options;
    if (input.threadId) await this.deps.threadAccess.requirePostable(actor, channel.id, input.threadId);
    const reply = input.replyToId ? await this.reply(channel, input.replyToId) : null;
    const forwarding = await this.forwarding(actor, input, options);
    const brings = (input.attachments?.length ?? 0) + (forwarding?.files.length ?? 0) > 0;
    if (brings) requireInChannel(channel, 'file:attach');
    if (input.components) requireBot(actor);
    const files = input.attachments?.length ? await this.files(actor, input.attachments, options) : [];
    // What was held may be approved after its poll was to close.
    if (input.poll?.closesAt && !heldId) requireAhead('poll.closesAt', input.poll.closesAt);
    const judged = heldId ? null : this.deps.filters.judge(actor, channel, () => textsOf(input, files, forwarding));
    const verdict = judged && (await judged);
    const mentions = namesNobody ? [] : await this.deps.mentions.find(actor, channel, input.content);
    const isCommand = input.content.startsWith('/');
    const commanded = isCommand ? await this.commanded(actor, channel, input.content) : [];
    const row: NewMessage = {
      id: newId(),
      channelId: channel.id,
      authorId: actor.userId,
      content: input.content,
      threadId: input.threadId ?? null,
      replyToId: input.replyToId ?? null,
      replyUpdatedAt: reply && isoTime(reply.updated_at),
      attachmentIds: files.map((file) => file.id),
      thumbnailIds: files.filter((file) => file.thumbnail_blob_id !== null).map((file) => file.id),
      forward: forwarding?.forward ?? null,
      mentions: mentions.length > 0 ? mentions : null,
      mentionedBots: commanded.length > 0 ? namedIn(mentions, commanded) : null,
      metadata: input.metadata ?? null,
      poll: input.poll ?? null,
      components: input.components ?? null,
      nonce: input.nonce ?? null,
      sentKey: idempotencyKey,
      createdAt: dateNow().toISOString(),
      isDirect: isDirect(channel.kind),
      isWatched: channel.isWatched && !input.threadId,
      lastBotSeq: null,
      ifHead: input.ifHead ?? null,
      answersTo: input.answersTo ?? null,
      answersWithin: await this.heardBy(actor, channel.id, input, options),
      answersUse: options.answersUse ?? false,
      slowModeSeconds: slowModeFor(channel),
      hasLinks: mayPreview(this.deps.settings, channel.kind) && linksIn(input.content).length > 0,
      flag: flagOf(channel, verdict),
    };
    if (verdict?.action === 'refuse') throw new AppError('MESSAGE_REFUSED');
    if (verdict?.action === 'hold') throw new Withheld({ ...draftOf(row, verdict), namesNobody });
    return { row, reply, files, forwarding };
  }

  private commanded({ userId }: Actor, channel: ChannelWithRights, text: string): Promise<string[]> {
    return this.deps.commands.named(channel, { userId, rights: channel.rights }, text);
  }

  /** What the bot that answers is given there. @throws AppError FORBIDDEN for people: they cannot show what they had read */
  private async heardBy(
    actor: Actor,
    channelId: string,
    { answersTo }: SendInput,
    { heldHearing }: SendOptions,
  ): Promise<Hearing | null> {
    if (answersTo == null) return null;
    if (heldHearing) return heldHearing;
    if (!actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Only bots say what their messages answer.' });
    return hearingOf(await this.deps.policyAccess.effective(actor.userId, channelId));
  }

  private async forwarding(actor: Actor, input: SendInput, options: SendOptions): Promise<Forwarding | null> {
    if (options.heldForward) return keptForwarding(options.heldForward);
    return input.forwardId ? forwardingOf(this.deps, actor, input.forwardId) : null;
  }

  private async reply(channel: ChannelWithRights, messageId: string): Promise<MessageRow> {
    const row = await findMessage(this.deps.database.rows, messageId);
    if (row?.channel_id === channel.id) return row;
    throw new AppError('MESSAGE_NOT_FOUND', { message: 'There is no such message in this channel to reply to.' });
  }

  /** The actor's own uploads; those of others are treated as missing. */
  private async files(actor: Actor, ids: string[], { heldId, scheduledId }: SendOptions): Promise<AttachmentRow[]> {
    const rows = await uploadsOf(this.deps.database.rows, actor.userId, ids);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      if (!row) throw new AppError('ATTACHMENT_NOT_FOUND');
      const isHeld = row.held_id !== null && row.held_id !== heldId;
      const isScheduled = row.scheduled_id !== null && row.scheduled_id !== scheduledId;
      if (row.message_id !== null || isHeld || isScheduled) throw new AppError('ATTACHMENT_INVALID');
      return row;
    });
  }
}

/** Only bots hear of what is used. @throws AppError FORBIDDEN */
export function requireBot(actor: Actor): void {
  if (!actor.user.isBot) throw new AppError('FORBIDDEN', { message: 'Only bots send components.' });
}

/** The keys by which a message is sent only once in its channel; the Idempotency-Key precedes the nonce. */
export function onceKeysOf({ authorId, nonce, sentKey }: NewMessage): string[] {
  const keys = sentKey === null ? [] : [`${authorId} key ${sentKey}`];
  return nonce === null ? keys : [...keys, `${authorId} nonce ${nonce}`];
}

/** Everything of a message that others see as text. */
function textsOf(
  { content, metadata, poll, components }: SendInput,
  files: AttachmentRow[],
  forwarding: Forwarding | null,
): string[] {
  const names = [...files, ...(forwarding?.files ?? [])].map(({ filename }) => filename);
  const asked = poll ? [poll.question, ...poll.options] : [];
  const said = [content, ...asked, forwarding?.row.content ?? '', ...names];
  return [...said, ...(metadata ? textsIn(metadata) : []), ...(components ? textsIn(components.items) : [])];
}

/** Whether the operator lets messages of a kind of channel have link previews; its server may say otherwise. */
export function mayPreview({ linkPreviews }: Pick<Settings, 'linkPreviews'>, kind: ChannelKind): boolean {
  return linkPreviews === 'all' || (linkPreviews === 'servers' && kind === 'server');
}

/** What moderators are to be told of something that is published. */
export function flagOf(
  { id: channelId, serverId }: Pick<ChannelWithRights, 'id' | 'serverId'>,
  verdict: Verdict | null,
): NewMessage['flag'] {
  if (serverId === null || verdict?.action !== 'flag' || !verdict.entry) return null;
  return { serverId, channelId, pattern: verdict.entry.pattern };
}

function draftOf(row: NewMessage, { reason, entry }: Verdict): Omit<HeldDraft, 'namesNobody'> {
  const { threadId, replyToId, content, metadata, poll, components, nonce, sentKey, attachmentIds, forward } = row;
  const said = { threadId, replyToId, content, metadata, poll, components, nonce, sentKey, attachmentIds, forward };
  const { ifHead, answersTo, answersWithin } = row;
  return {
    ...said,
    ifHead,
    answersTo,
    answersWithin,
    kind: 'message',
    messageId: null,
    previousContent: null,
    reason,
    pattern: entry?.pattern ?? null,
  };
}

/** The users that a message with a slash command concerns, by their keys (see `namedSince`). */
function namedIn(mentions: MentionRecord[], commanded: string[]): Record<string, number> {
  const users = mentions.filter(({ kind }) => kind === 'user').map(({ targetId }) => targetId);
  return Object.fromEntries([...users, ...commanded.map((id) => `/${id}`)].map((key) => [key, 0]));
}

/** A new message as a read would return it, without reading it. It has no number yet. */
export function asRow(message: ComposedMessage, actor: Actor, channel: ChannelWithRights): MessageRow {
  const { row, reply, files, forwarding } = message;
  const { user } = actor;
  return {
    id: row.id,
    channel_id: row.channelId,
    kind: channel.kind,
    seq: 0,
    content: row.content,
    author_id: row.authorId,
    username: user.username,
    display_name: user.displayName,
    avatar_url: user.avatarUrl,
    is_bot: user.isBot,
    thread_id: row.threadId,
    reply_to_id: row.replyToId,
    reply_author_id: reply?.author_id ?? null,
    reply_content: reply && (reply.content || reply.poll?.question || reply.forwarded?.content || ''),
    reply_deleted: reply ? false : null,
    metadata: row.metadata,
    mentions: row.mentions,
    previews: null,
    components: row.components,
    nonce: row.nonce,
    is_edited: false,
    answers_to: row.answersTo,
    is_pinned: false,
    is_deleted: false,
    created_at: row.createdAt,
    updated_at: row.createdAt,
    own_thread_id: null,
    own_thread_name: null,
    own_thread_count: null,
    own_thread_last: null,
    attachments: [...files, ...(forwarding?.files ?? [])],
    reactions: null,
    poll: row.poll && freshPoll(row.poll),
    forwarded: forwarding?.row ?? null,
  };
}
