import { effect, signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keptKeys } from './kept.ts';

/** What was typed in a channel or thread and not sent, or into a message and not saved; it outlives the page. */
export const draftOf = (id: string): string => localStorage.getItem(keptKeys.draft + id) ?? '';

export function keepDraft(id: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(keptKeys.draft + id);
  else localStorage.setItem(keptKeys.draft + id, text);
}

/** What was typed into a message that is gone goes behind what is being written in its conversation. @returns whether there was any */
export function rescueDraft(message: Message | undefined, conversation: string): boolean {
  const text = message ? draftOf(message.id) : '';
  if (text === '' || text === message?.content) return false;
  const before = draftOf(conversation);
  const newValue = before.trim() === '' ? text : `${before}\n${text}`;
  keepDraft(conversation, newValue);
  // Other tabs hear of it by themselves.
  dispatchEvent(new StorageEvent('storage', { key: keptKeys.draft + conversation, newValue }));
  return true;
}

/** Hears what another tab makes of it: what was sent there must not be sent here once more. @returns ends it */
export function followDraft(id: string, show: (text: string) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === keptKeys.draft + id) show(newValue ?? '');
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

/** The message that is being answered, and the one that is being edited: that one over a reload, too. */
export const replyTo = signal<Message | null>(null);
export const editing = signal(sessionStorage.getItem(keptKeys.editing));

effect(() => {
  if (editing.value === null) sessionStorage.removeItem(keptKeys.editing);
  else sessionStorage.setItem(keptKeys.editing, editing.value);
});

/** A message is not changed any more: what was typed into it is saved, or given up. */
export function endEditing(id: string): void {
  keepDraft(id, '');
  if (editing.peek() === id) editing.value = null;
}
