import { effect, signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keptKeys } from './kept.ts';

/** Unsent text in a channel or thread, or unsaved changes of a message; it outlives the page. */
export const draftOf = (id: string): string => localStorage.getItem(keptKeys.draft + id) ?? '';

export function keepDraft(id: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(keptKeys.draft + id);
  else localStorage.setItem(keptKeys.draft + id, text);
}

/** Unsaved changes of a deleted message are appended to the draft of its conversation. @returns whether there were any */
export function rescueDraft(message: Message | undefined, conversation: string): boolean {
  const text = message ? draftOf(message.id) : '';
  if (text === '' || text === message?.content) return false;
  const before = draftOf(conversation);
  const newValue = before.trim() === '' ? text : `${before}\n${text}`;
  keepDraft(conversation, newValue);
  // The browser tells other tabs.
  dispatchEvent(new StorageEvent('storage', { key: keptKeys.draft + conversation, newValue }));
  return true;
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
