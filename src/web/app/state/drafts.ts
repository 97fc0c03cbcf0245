import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keysOf } from '../../../client/store.ts';
import type { Attachments } from './attachments.ts';
import { ReplyTargets } from './reply-targets.ts';
import type { Core } from './session.ts';
import { keptKeys } from './surroundings.ts';

type Listener = (text: string) => void;

/** Unsent texts of channels and threads, and unsaved changes of messages and files, by id. They outlive the page. */
export class Drafts {
  /** Ids of the channels, threads and messages that have one, be it files alone. */
  readonly ids: ReadonlySignal<ReadonlySet<string>>;
  private readonly texts: Signal<ReadonlySet<string>>;
  readonly replies: ReplyTargets;
  /** Id of the message being edited; it survives a reload. */
  readonly editing: Signal<string | null>;
  /** Called with the id of each draft that was stored here. */
  onKept: (id: string) => void = () => {};
  private readonly core: Core;
  private readonly attachments: Attachments;
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(core: Core, attachments: Attachments) {
    const { scope } = core;
    this.core = core;
    this.attachments = attachments;
    this.replies = new ReplyTargets(scope);
    const keys = keysOf(scope.local, keptKeys.draft);
    this.texts = signal(new Set(keys.map((key) => key.slice(keptKeys.draft.length))));
    this.ids = computed(() => new Set([...this.texts.value, ...attachments.keys.value]));
    this.editing = signal(scope.tab.getItem(keptKeys.editing));
    scope.add(effect(() => this.storeEditing(this.editing.value)));
    scope.onStored((key, value) => {
      if (key.startsWith(keptKeys.draft)) this.changed(key.slice(keptKeys.draft.length), value ?? '');
    });
  }

  of(id: string): string {
    return this.core.scope.local.getItem(keptKeys.draft + id) ?? '';
  }

  /** Stores what the user has typed. */
  keep(id: string, text: string): void {
    const { local } = this.core.scope;
    if (text.trim() === '') local.removeItem(keptKeys.draft + id);
    else local.setItem(keptKeys.draft + id, text);
    this.note(id, text);
    this.onKept(id);
  }

  /** Stores a text that was not typed here: those who show the draft are told. */
  set(id: string, text: string): void {
    this.keep(id, text);
    this.changed(id, text);
  }

  /** Reports changes made elsewhere: what another tab has sent must not be sent again here. @returns stops it */
  follow(id: string, listener: Listener): () => void {
    const all = this.listeners.get(id) ?? new Set();
    this.listeners.set(id, all.add(listener));
    return () => all.delete(listener);
  }

  /** Editing a message has ended: the changes are saved, or discarded. */
  endEditing(id: string): void {
    this.keep(id, '');
    if (this.editing.peek() === id) this.editing.value = null;
  }

  /** Unsaved changes of a deleted message are appended to the draft of its conversation. @returns whether there were any */
  rescueEdit(message: Message | undefined, conversation: string): boolean {
    return message !== undefined && this.of(message.id) !== message.content && this.moveText(message.id, conversation);
  }

  /** Moves what was typed and not sent in a thread to the draft of its channel. @returns whether there was any */
  moveToChannel(threadId: string, channelId: string): boolean {
    const hadFiles = this.attachments.move(threadId, channelId);
    this.replies.set(threadId, null);
    return this.moveText(threadId, channelId) || hadFiles;
  }

  discard(key: string): void {
    this.set(key, '');
    this.attachments.discard(key);
    this.replies.set(key, null);
  }

  /** Those who look at a deleted thread find their draft there; for others it is moved to the channel. */
  rescueThread(threadId: string, channelId: string): void {
    const here = this.core.route.peek();
    if ('threadId' in here && here.threadId === threadId) return;
    if (!this.moveToChannel(threadId, channelId)) return;
    this.core.toasts.show(
      this.core.texts
        .peek()
        .t('A thread was deleted. What you were writing there is in the message field of its channel.'),
    );
  }

  /** Puts a text behind the draft of a conversation. */
  append(text: string, conversation: string): void {
    const before = this.of(conversation);
    this.set(conversation, before.trim() === '' ? text : `${before}\n${text}`);
  }

  /** Appends a draft to that of a conversation. @returns whether there was one */
  private moveText(id: string, conversation: string): boolean {
    const text = this.of(id);
    if (text === '') return false;
    this.append(text, conversation);
    this.set(id, '');
    return true;
  }

  private changed(id: string, text: string): void {
    this.note(id, text);
    for (const listener of this.listeners.get(id) ?? []) listener(text);
  }

  private note(id: string, text: string): void {
    const isThere = text.trim() !== '';
    if (this.texts.peek().has(id) === isThere) return;
    const others = [...this.texts.peek()].filter((other) => other !== id);
    this.texts.value = new Set(isThere ? [...others, id] : others);
  }

  private storeEditing(id: string | null): void {
    const { tab } = this.core.scope;
    if (id === null) tab.removeItem(keptKeys.editing);
    else tab.setItem(keptKeys.editing, id);
  }
}
