import { signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import type { Scope } from './scope.ts';
import { keptKeys } from './surroundings.ts';

/** The message that is being answered, and the name of its author. */
export interface ReplyTarget {
  id: string;
  name: string;
}

/** What the message being written in a channel or thread answers, by its id. It outlives the page, as the draft does. */
export class ReplyTargets {
  /** Called with the id of each conversation where it was changed here. */
  onChanged: (key: string) => void = () => {};
  private readonly all = signal<ReadonlyMap<string, ReplyTarget>>(new Map());
  private readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
    for (const stored of keysOf(scope.local, keptKeys.reply)) this.read(stored.slice(keptKeys.reply.length));
    scope.onStored((stored) => {
      if (stored.startsWith(keptKeys.reply)) this.read(stored.slice(keptKeys.reply.length));
    });
  }

  of(key: string): ReplyTarget | null {
    return this.all.value.get(key) ?? null;
  }

  peek(key: string): ReplyTarget | null {
    return this.all.peek().get(key) ?? null;
  }

  /** The next message where this one is answers it. */
  answer({ id, channelId, threadId, author }: Message): void {
    this.set(threadId ?? channelId, { id, name: author.displayName });
  }

  /** @param target null: nothing */
  set(key: string, target: ReplyTarget | null): void {
    if (this.peek(key)?.id === target?.id) return;
    if (target) this.scope.local.setItem(keptKeys.reply + key, JSON.stringify(target));
    else this.scope.local.removeItem(keptKeys.reply + key);
    this.read(key);
    this.onChanged(key);
  }

  private read(key: string): void {
    const text = this.scope.local.getItem(keptKeys.reply + key);
    const next = new Map(this.all.peek());
    if (text === null) next.delete(key);
    else next.set(key, JSON.parse(text));
    this.all.value = next;
  }
}
