import { effect, signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keptKeys } from './kept.ts';

/** Unsent text in a channel or thread, or unsaved changes of a message; it outlives the page. */
export const draftOf = (id: string): string => localStorage.getItem(keptKeys.draft + id) ?? '';

export function keepDraft(id: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(keptKeys.draft + id);
  else localStorage.setItem(keptKeys.draft + id, text);
  noteDraft(id, text);
}

const keptDrafts = Object.keys(localStorage).filter((key) => key.startsWith(keptKeys.draft));
/** Ids of the channels, threads and messages that have one. */
export const drafted = signal<ReadonlySet<string>>(new Set(keptDrafts.map((key) => key.slice(keptKeys.draft.length))));

function noteDraft(id: string, text: string): void {
  const isThere = text.trim() !== '';
  if (drafted.peek().has(id) === isThere) return;
  const others = [...drafted.peek()].filter((other) => other !== id);
  drafted.value = new Set(isThere ? [...others, id] : others);
}

addEventListener('storage', ({ key, newValue }) => {
  if (key?.startsWith(keptKeys.draft)) noteDraft(key.slice(keptKeys.draft.length), newValue ?? '');
});

/** The same for what is not typed here and now: whoever follows the draft in this tab is told. */
export function setDraft(id: string, newValue: string): void {
  keepDraft(id, newValue);
  // The browser tells other tabs.
  dispatchEvent(new StorageEvent('storage', { key: keptKeys.draft + id, newValue }));
}

/** Appends a draft to that of a conversation. @returns whether there was one */
export function moveDraft(id: string, conversation: string): boolean {
  const text = draftOf(id);
  if (text === '') return false;
  const before = draftOf(conversation);
  setDraft(conversation, before.trim() === '' ? text : `${before}\n${text}`);
  setDraft(id, '');
  return true;
}

/** Unsaved changes of a deleted message are appended to the draft of its conversation. @returns whether there were any */
export function rescueDraft(message: Message | undefined, conversation: string): boolean {
  return message !== undefined && draftOf(message.id) !== message.content && moveDraft(message.id, conversation);
}

/** Follows changes in another tab: what was sent there must not be sent again here. @returns stops it */
export function followDraft(id: string, show: (text: string) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === keptKeys.draft + id) show(newValue ?? '');
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** The message being replied to, and the one being edited; the latter survives a reload. */
export const replyTo = signal<Message | null>(null);
export const editing = signal(sessionStorage.getItem(keptKeys.editing));

effect(() => {
  if (editing.value === null) sessionStorage.removeItem(keptKeys.editing);
  else sessionStorage.setItem(keptKeys.editing, editing.value);
});

/** Editing a message has ended: the changes are saved, or discarded. */
export function endEditing(id: string): void {
  keepDraft(id, '');
  if (editing.peek() === id) editing.value = null;
}
