import { signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';
import { keptKeys } from './kept.ts';

/** What was typed in a channel or thread and not sent; it outlives the page. */
export const draftOf = (id: string): string => localStorage.getItem(keptKeys.draft + id) ?? '';

export function keepDraft(id: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(keptKeys.draft + id);
  else localStorage.setItem(keptKeys.draft + id, text);
}

/** The message that is being answered, and the one that is being edited. */
export const replyTo = signal<Message | null>(null);
export const editing = signal<string | null>(null);
