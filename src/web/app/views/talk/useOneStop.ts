import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** What leads on within a message; its toolbar is a stop of its own, and a dialog keeps the focus in itself. */
const inside = ':is(a, button):not(.actions *, dialog *)';

/**
 * Lets Tab stop at one message of a list and at what is in it: at the one where the focus is, or else at the newest. Names,
 * links and reactions are hundreds of stops otherwise, and going back through them fetches all that was ever said.
 */
export function useOneStop(ref: RefObject<HTMLElement | null>, messages: unknown): void {
  useLayoutEffect(() => {
    if (ref.current) letStop(ref.current);
  }, [messages, ref]);
  useEffect(() => {
    const list = ref.current;
    if (!list) return;
    const look = () => letStop(list);
    // Once the focus has arrived.
    const left = () => queueMicrotask(look);
    list.addEventListener('focusin', look);
    list.addEventListener('focusout', left);
    return () => {
      list.removeEventListener('focusin', look);
      list.removeEventListener('focusout', left);
    };
  }, [ref]);
}

function letStop(list: HTMLElement): void {
  const all = [...list.querySelectorAll<HTMLElement>('article[data-id]')];
  const here = all.find((message) => message.contains(document.activeElement)) ?? all.at(-1);
  for (const message of all) {
    const isStop = message === here;
    if (isStop !== (message.tabIndex === 0)) message.tabIndex = isStop ? 0 : -1;
    for (const one of message.querySelectorAll<HTMLElement>(inside)) {
      if (!isStop) one.tabIndex = -1;
      else one.removeAttribute('tabindex');
    }
  }
}
