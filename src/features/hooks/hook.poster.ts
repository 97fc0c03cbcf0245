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
import { requireUnbanned } from '../members/ban.access.ts';
import type { MessageService } from '../messages/message.service.ts';
import type { MessageRecord } from '../messages/message.view.ts';
import type { Delivery, HookFormat, Post } from './formats/format.ts';
import { formatNamed, formatOf } from './formats/formats.ts';
import type { Json } from './formats/json.ts';
import { piecesOf } from './hook.pieces.ts';
import { requireSigned } from './hook.signatures.ts';
import { noteUse } from './hook.table.ts';

interface Deps extends Pick<Context, 'database' | 'changes' | 'operations' | 'limits' | 'channelAccess'> {
  messages: MessageService;
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
  object(bytes: Buffer): Promise<Json>;
}

/** What became of a post. */
export interface Posted {
  hook: KnownHook;
  format: HookFormat['name'];
  messages: MessageRecord[];
  isHeld: boolean;
}

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
   * @throws AppError HOOK_NOT_FOUND, RATE_LIMITED, HOOK_SIGNATURE_INVALID, BANNED, THREAD_NOT_FOUND, VALIDATION_FAILED for what
   *   has nothing to show, as `Incoming` and `MessageService.send` do, but MESSAGE_HELD
   */
  async post(incoming: Incoming): Promise<Posted> {
    const { hook, serverId } = await this.find(incoming.token);
    if (incoming.format !== null && !formatNamed(incoming.format)) throw new AppError('HOOK_NOT_FOUND');
    const quota = await this.deps.limits.take('hookMessages', hook.id);
    if (quota?.exceeded) throw refusal(quota);
    const bytes = await incoming.bytes();
    this.requireSigned(hook, bytes, incoming.headers);
    const delivery = { headers: incoming.headers, body: await incoming.object(bytes) };
    const format = formatNamed(incoming.format ?? '') ?? formatOf(delivery, hook.format);
    const post = format.read(delivery);
    const keys = keysOf(delivery, format, post);
    const sent = await this.send(hook, serverId, { ...post, threadId: threadOf(incoming, post) }, keys);
    if (!hook.isNoted) await this.deps.changes.run(({ rows }) => noteUse(rows, hook.id));
    return { hook, format: format.name, ...sent };
  }

  private requireSigned({ secret }: KnownHook, bytes: Buffer, headers: Incoming['headers']): void {
    if (secret === null) return;
    const text = this.deps.sealed.open(secret);
    if (text === undefined) throw new AppError('HOOK_SIGNATURE_INVALID');
    requireSigned(text, bytes, headers);
  }

  private async send(
    hook: KnownHook,
    serverId: string,
    post: Omit<Post, 'threadId'> & { threadId: string | null },
    key: string | null,
  ): Promise<Pick<Posted, 'messages' | 'isHeld'>> {
    const pieces = piecesOf(post.text);
    if (pieces.length === 0) {
      throw invalid([{ path: 'content', message: 'has nothing that can be shown', code: 'too_small' }]);
    }
    const actor = hookActor(hook);
    const messages: MessageRecord[] = [];
    let isHeld = false;
    for (const [index, content] of pieces.entries()) {
      const { threadId, replyToId = null, metadata = null } = post;
      const first = index === 0 ? { replyToId, metadata } : {};
      const input = validated(sendMessageSchema, { content, threadId, ...first });
      const options = { idempotencyKey: key && `hook ${key} ${index}` };
      try {
        const { result } = await this.deps.operations.run(
          () => this.requireThere(hook, serverId),
          async () => {
            await this.requireThere(hook, serverId);
            return this.deps.messages.send(actor, hook.channelId, input, options);
          },
        );
        messages.push(result);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'MESSAGE_HELD') throw error;
        isHeld = true;
      }
    }
    return { messages, isHeld };
  }

  /** It is not committed once the webhook is gone, has another address or was banned. @throws AppError HOOK_NOT_FOUND, BANNED */
  private async requireThere({ user, tokenHash }: KnownHook, serverId: string): Promise<void> {
    if (!(await this.deps.hookIdentity.has(user.id, tokenHash))) throw new AppError('HOOK_NOT_FOUND');
    await requireUnbanned(this.deps.database.rows, serverId, user.id, true);
  }
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
