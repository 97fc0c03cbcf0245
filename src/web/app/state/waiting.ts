import { effect, type Signal, signal } from '@preact/signals';
import type { MessageInput } from '../../../client/index.ts';
import type { Attachments } from './attachments.ts';
import type { Drafts } from './drafts.ts';
import type { ReplyTarget } from './reply-targets.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

/** A message that is sent once its files are there. */
export interface WaitingMessage {
  id: string;
  channelId: string;
  threadId: string | null;
  content: string;
  target: ReplyTarget | null;
}

/** What was sent while its files were still being uploaded. A reload ends uploads: then it is in the message field again. */
export class Waiting {
  /** In the order written. */
  readonly list: Signal<readonly WaitingMessage[]> = signal([]);
  private readonly core: Core;
  private readonly attachments: Attachments;
  private readonly drafts: Drafts;
  private count = 0;

  constructor(core: Core, attachments: Attachments, drafts: Drafts) {
    this.core = core;
    this.attachments = attachments;
    this.drafts = drafts;
    this.restore();
    core.scope.add(effect(() => this.sendReady()));
  }

  /** Those of a channel, or of a thread. */
  in({ channelId, threadId }: Pick<WaitingMessage, 'channelId' | 'threadId'>): WaitingMessage[] {
    return this.list.value.filter((one) => one.channelId === channelId && one.threadId === threadId);
  }

  /** Where the files of a waiting message are, among those to be sent. */
  keyOf({ id }: WaitingMessage): string {
    return `waiting:${id}`;
  }

  /** Sends a message as soon as its files are there. @param from where these are so far */
  add(message: Omit<WaitingMessage, 'id'>, from: string): void {
    const waiting = { ...message, id: `${Date.now()}-${++this.count}` };
    this.attachments.moveAll(from, this.keyOf(waiting));
    this.put([...this.list.peek(), waiting]);
  }

  /** Puts it back into the message field, with its files. */
  takeBack(message: WaitingMessage): void {
    const { channelId, threadId, content, target } = message;
    const key = threadId ?? channelId;
    this.put(this.list.peek().filter(({ id }) => id !== message.id));
    this.attachments.moveAll(this.keyOf(message), key);
    if (content !== '') this.drafts.append(content, key);
    if (target && !this.drafts.replies.peek(key)) this.drafts.replies.set(key, target);
  }

  private sendReady(): void {
    for (const message of this.list.value) {
      if (this.attachments.of(this.keyOf(message)).uploading.length > 0) continue;
      // After this effect: sending changes what it depends on.
      queueMicrotask(() => this.send(message));
    }
  }

  private send(message: WaitingMessage): void {
    if (!this.list.peek().includes(message)) return;
    const { channelId, threadId, content, target } = message;
    const key = this.keyOf(message);
    const { files } = this.attachments.peek(key);
    this.put(this.list.peek().filter((one) => one !== message));
    const attachments = files.map(({ id }) => ({ id }));
    const input: MessageInput = { content, attachments, threadId, replyToId: target?.id };
    this.attachments.sent(key);
    // The user does not want its only file any more.
    if (content === '' && files.length === 0) return;
    // A refusal is shown below the message.
    this.core.client
      .channel(channelId)
      .send(input)
      .catch(() => {});
  }

  private put(list: readonly WaitingMessage[]): void {
    this.list.value = list;
    const { tab } = this.core.scope;
    if (list.length === 0) tab.removeItem(keptKeys.waiting);
    else tab.setItem(keptKeys.waiting, JSON.stringify(list));
    this.core.surroundings.guard?.(list.length > 0);
  }

  private restore(): void {
    const kept = this.core.scope.tab.getItem(keptKeys.waiting);
    if (kept === null) return;
    const list: WaitingMessage[] = JSON.parse(kept);
    for (const message of list) this.takeBack(message);
    const { t } = this.core.texts.peek();
    const text = t('Some files were not uploaded. Your message is back in the message field.');
    this.core.toasts.show(text, 'bad');
  }
}
