import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { sendMessageSchema } from '../../contract/message.ts';
import { invalid, validated } from '../../contract/schema/validation.ts';
import { isUuid } from '../../contract/schema.ts';
import { refusal } from '../../infrastructure/rate-limits.ts';
import type { SealedText } from '../../infrastructure/sealed-text.ts';
import { type HookIdentity, hookActor } from '../accounts/hook.identity.ts';
import type { KnownHook } from '../accounts/hook.table.ts';
import type { Context } from '../context.ts';
import type { MediaService } from '../media/media.service.ts';
import { requireUnbanned } from '../members/ban.access.ts';
import type { MessageService } from '../messages/message.service.ts';
import { findMessage } from '../messages/message.table.ts';
import { type MessageRecord, type MessageRow, messageRecord } from '../messages/message.view.ts';
import type { Delivery, HookFormat, Post } from './formats/format.ts';
import { formatNamed, formatOf } from './formats/formats.ts';
import type { Json } from './formats/json.ts';
import type { TakeFile } from './hook.body.ts';
import { HookFiles, isBound } from './hook.files.ts';
import { piecesOf } from './hook.pieces.ts';
import { requireSigned } from './hook.signatures.ts';
import { noteUse } from './hook.table.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'operations' | 'limits' | 'channelAccess'> {
  messages: MessageService;
  media: MediaService;
  hookIdentity: HookIdentity;
  sealed: SealedText;
}

/** A request to an incoming webhook; its body is read once it is known that there is one. */
export interface Incoming {
  token: string;
  /** The format that the address names; null: none. */
  format: string | null;
  threadId: string | null;
  headers: Readonly<Record<string, string>>;
  bytes(): Promise<Buffer>;
  object(bytes: Buffer, take: TakeFile): Promise<Json>;
  /** What is in a form with parts, as it arrives, which files may make long; null: it is none. */
  form: ((take: TakeFile) => Promise<Json>) | null;
}

/** What became of a post. */
export interface Posted {
  hook: KnownHook;
  format: HookFormat['name'];
  messages: MessageRecord[];
  isHeld: boolean;
}

/** An incoming webhook, and where it posts. */
interface Place {
  hook: KnownHook;
  serverId: string;
}

interface Opened extends Place {
  /** Reads the body. */
  read(take: TakeFile): Promise<Json>;
}

/** What is the same for all pieces of a post, and where they begin. */
interface Said {
  post: Omit<Post, 'threadId'> & { threadId: string | null };
  key: string | null;
  /** Ids of files that they carry. */
  attachments?: string[];
  from?: number;
}

type Sent = Pick<Posted, 'messages' | 'isHeld'>;

/** Posts by incoming webhooks (contract §6): each becomes messages of the webhook's own user. */
export class HookPoster {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** @throws AppError HOOK_NOT_FOUND */
  async find(token: string): Promise<{ hook: KnownHook; serverId: string }> {
    const hook = await this.deps.hookIdentity.find(token);
    if (!hook) throw new AppError('HOOK_NOT_FOUND');
    const { serverId } = await this.deps.channelAccess.find(hook.channelId);
    if (serverId === null) throw new AppError('HOOK_NOT_FOUND');
    return { hook, serverId };
  }

  /**
   * Posts what a tool sends. It is committed when this returns; the same delivery again within a day gets the first messages.
   * @throws AppError HOOK_NOT_FOUND, HOOK_SIGNATURE_INVALID, RATE_LIMITED, BANNED, THREAD_NOT_FOUND, VALIDATION_FAILED for what
   *   has nothing to show, as `Incoming` and `MessageService.send` do, but MESSAGE_HELD
   */
  async post(incoming: Incoming): Promise<Posted> {
    const found = await this.opened(incoming);
    const { hook, serverId } = found;
    const files = new HookFiles(this.deps.media, hookActor(hook), serverId);
    const { delivery, format, post } = await this.understood(incoming, found, files);
    const pieces = piecesOf(post.text);
    if (pieces.length === 0 && files.taken.length > 0) pieces.push('');
    requireSubstance(pieces);
    await this.take(hook, pieces.length - 1);
    const key = keysOf(delivery, format, post);
    const said = { post: { ...post, threadId: threadOf(incoming, post) }, key };
    const sent = await this.sendAll({ hook, serverId }, pieces, files, said);
    await this.note(hook);
    return { hook, format: format.name, ...sent };
  }

  /**
   * A message of the webhook's own, as it is now.
   * @throws AppError HOOK_NOT_FOUND, HOOK_SIGNATURE_INVALID, MESSAGE_NOT_FOUND
   */
  async get(incoming: Incoming, messageId: string): Promise<{ hook: KnownHook; message: MessageRecord }> {
    const { hook } = await this.opened(incoming);
    const row = await this.own(hook, messageId);
    return { hook, message: messageRecord(row, hook.user.id) };
  }

  /**
   * Replaces the text of a message of the webhook's own by what a tool sends, as far as it fits into one message.
   * @throws AppError like `post`, MESSAGE_NOT_FOUND
   */
  async edit(incoming: Incoming, messageId: string): Promise<Posted> {
    const found = await this.opened(incoming);
    const { hook, serverId } = found;
    const { format, post } = await this.understood(incoming, found, null);
    const [content = ''] = requireSubstance(piecesOf(post.text, 1));
    await this.own(hook, messageId);
    const { namesNobody = false } = post;
    const edited = await this.unlessHeld(hook, serverId, () =>
      this.deps.messages.edit(hookActor(hook), messageId, { content }, { namesNobody }),
    );
    await this.note(hook);
    return { hook, format: format.name, messages: edited ? [edited] : [], isHeld: !edited };
  }

  /** Deletes a message of the webhook's own. @throws AppError like `get`, RATE_LIMITED, BANNED */
  async delete(incoming: Incoming, messageId: string): Promise<void> {
    const { hook, serverId } = await this.opened(incoming);
    await this.take(hook, 1);
    await this.own(hook, messageId);
    await this.whileThere(hook, serverId, () => this.deps.messages.delete(hookActor(hook), messageId));
  }

  /** The webhook of a request, with its body once it is known who sent that. */
  private async opened(incoming: Incoming): Promise<Opened> {
    const found = await this.find(incoming.token);
    if (incoming.format !== null && !formatNamed(incoming.format)) throw new AppError('HOOK_NOT_FOUND');
    if (found.hook.secret === null && incoming.form) return { ...found, read: incoming.form };
    const bytes = await incoming.bytes();
    this.requireSigned(found.hook, bytes, incoming.headers);
    return { ...found, read: (take) => incoming.object(bytes, take) };
  }

  /** What the body says; its files are taken, or named in it. It counts as one message. */
  private async understood(incoming: Incoming, { hook, read }: Opened, files: HookFiles | null) {
    await this.take(hook, 1);
    const body = await read(async (field, file) => (await files?.take(field, file)) ?? false);
    const delivery = { headers: incoming.headers, body: files?.without(body) ?? body };
    const format = formatNamed(incoming.format ?? '') ?? formatOf(delivery, hook.format);
    return { delivery, format, post: format.read(delivery) };
  }

  /** Counts messages against the webhook's limit. A post that has no room for all of its messages posts none. @throws AppError RATE_LIMITED */
  private async take(hook: KnownHook, messages: number): Promise<void> {
    const counted = Array.from({ length: messages }, () => ({ name: 'hookMessages', key: hook.id }) as const);
    const { quota, giveBack } = await this.deps.limits.attempt(counted);
    if (!quota?.exceeded) return;
    await giveBack();
    throw refusal(quota);
  }

  private async note(hook: KnownHook): Promise<void> {
    if (!hook.isNoted) await this.deps.changes.run(({ rows }) => noteUse(rows, hook.id));
  }

  private requireSigned({ secret }: KnownHook, bytes: Buffer, headers: Incoming['headers']): void {
    if (secret === null) return;
    const text = this.deps.sealed.open(secret);
    if (text === undefined) throw new AppError('HOOK_SIGNATURE_INVALID');
    requireSigned(text, bytes, headers);
  }

  /** Posts the pieces in order; the last one carries the files, or names them where they cannot be attached. */
  private async sendAll(at: Place, pieces: string[], files: HookFiles, said: Said): Promise<Sent> {
    const last = pieces.length - 1;
    const before = await this.send(at, pieces.slice(0, last), said);
    const withFiles = (content: string) =>
      files.attached((ids) => this.send(at, [content], { ...said, attachments: ids, from: last }));
    const rest = await withFiles(pieces[last] ?? '').catch((error) => {
      if (files.taken.length === 0 || !isBound(error)) throw error;
      const named = [pieces[last], files.names].filter(Boolean).join('\n');
      return this.send(at, piecesOf(named), { ...said, from: last });
    });
    return { messages: [...before.messages, ...rest.messages], isHeld: before.isHeld || rest.isHeld };
  }

  private async send({ hook, serverId }: Place, pieces: string[], said: Said): Promise<Sent> {
    const { post, key, attachments = [], from = 0 } = said;
    const actor = hookActor(hook);
    const messages: MessageRecord[] = [];
    for (const [place, content] of pieces.entries()) {
      const index = from + place;
      const { threadId, replyToId = null, metadata = null, namesNobody = false } = post;
      const first = index === 0 ? { replyToId, metadata } : {};
      const files = attachments.length > 0 ? { attachments: attachments.map((id) => ({ id })) } : {};
      const input = validated(sendMessageSchema, { content, threadId, ...first, ...files });
      const options = { idempotencyKey: key && `hook ${key} ${index}`, namesNobody };
      const sent = await this.unlessHeld(hook, serverId, async () => {
        return (await this.deps.messages.send(actor, hook.channelId, input, options)).result;
      });
      if (sent) messages.push(sent);
    }
    return { messages, isHeld: messages.length < pieces.length };
  }

  /** @returns undefined: a moderator decides first */
  private unlessHeld(
    hook: KnownHook,
    serverId: string,
    work: () => Promise<MessageRecord>,
  ): Promise<MessageRecord | undefined> {
    return this.whileThere(hook, serverId, work).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'MESSAGE_HELD') return undefined;
      throw error;
    });
  }

  /** Nothing is committed once the webhook is gone, has another address or was banned. @throws AppError HOOK_NOT_FOUND, BANNED */
  private whileThere<T>(hook: KnownHook, serverId: string, work: () => Promise<T>): Promise<T> {
    const requireThere = async () => {
      if (!(await this.deps.hookIdentity.has(hook.user.id, hook.tokenHash))) throw new AppError('HOOK_NOT_FOUND');
      await requireUnbanned(this.deps.database.rows, serverId, hook.user.id, true);
    };
    return this.deps.operations.run(requireThere, async () => {
      await requireThere();
      return work();
    });
  }

  /** @throws AppError MESSAGE_NOT_FOUND for what is not its own, too */
  private async own({ user, channelId }: KnownHook, messageId: string): Promise<MessageRow> {
    const row = await findMessage(this.deps.database.rows, messageId);
    if (row?.author_id !== user.id || row.channel_id !== channelId) throw new AppError('MESSAGE_NOT_FOUND');
    return row;
  }
}

/** @throws AppError VALIDATION_FAILED for nothing that can be shown */
function requireSubstance(pieces: string[]): string[] {
  if (pieces.length > 0) return pieces;
  throw invalid([{ path: 'content', message: 'has nothing that can be shown', code: 'too_small' }]);
}

/** @throws AppError THREAD_NOT_FOUND for what is no id of a thread */
function threadOf({ threadId }: Incoming, post: Post): string | null {
  if (threadId === null) return post.threadId ?? null;
  if (!isUuid(threadId)) throw new AppError('THREAD_NOT_FOUND');
  return threadId.toLowerCase();
}

/** What is the same when a tool sends something again; null: it does not say. */
function keysOf({ headers }: Delivery, { deliveryIds, name }: HookFormat, { nonce }: Post): string | null {
  const id = deliveryIds.map((header) => headers[header]).find((value) => value) ?? nonce;
  return id ? createHash('sha256').update(`${name} ${id}`).digest('base64url') : null;
}
