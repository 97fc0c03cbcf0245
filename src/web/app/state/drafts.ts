import { signal } from '@preact/signals';
import type { Message } from '../../../client/index.ts';

const prefix = 'parley:draft:';

/** What was typed in a channel and not sent; it outlives the page. */
export const draftOf = (channelId: string): string => localStorage.getItem(prefix + channelId) ?? '';

export function keepDraft(channelId: string, text: string): void {
  if (text.trim() === '') localStorage.removeItem(prefix + channelId);
  else localStorage.setItem(prefix + channelId, text);
}

/** The message that is being answered or edited, by channel. */
export const replyTo = signal<Message | null>(null);
export const editing = signal<string | null>(null);
