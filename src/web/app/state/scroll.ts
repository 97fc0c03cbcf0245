import { keptKeys } from './kept.ts';

/** Scroll positions of channels, kept when returning and reloading. */
export interface Anchor {
  messageId: string;
  /** Pixels from the top of the view to the top of the message. */
  offset: number;
}

export function anchorOf(channelId: string): Anchor | null {
  const text = sessionStorage.getItem(keptKeys.scroll + channelId);
  return text === null ? null : JSON.parse(text);
}

/** @param anchor null: the newest messages are in view */
export function keepAnchor(channelId: string, anchor: Anchor | null): void {
  if (anchor) sessionStorage.setItem(keptKeys.scroll + channelId, JSON.stringify(anchor));
  else sessionStorage.removeItem(keptKeys.scroll + channelId);
}
