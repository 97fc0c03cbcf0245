import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

const messages = 'article[data-id]';
/**
 * The links and buttons within a message, without its toolbar and dialogs, which manage the focus themselves, and without
 * those that the keyboard has no need of.
 */
const controls = ':is(a, button):not([aria-hidden=true], .actions *, dialog *)';

/**
 * Makes Tab stop at one message of a list and its controls: the one that has the focus, or else the newest. Otherwise names,
 * links and reactions would be hundreds of stops, and moving back through them would load the whole history.
 */
export function useTabStop(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const list = ref.current;
    if (!list) return;
    let stop: Element | null = null;
    const choose = () => {
      const focused = document.activeElement?.closest(messages) ?? null;
      const here = focused && list.contains(focused) ? focused : lastOf(list);
      if (here === stop) return;
      if (stop) turn(stop, false);
      if (here) turn(here, true);
      stop = here;
    };
    // Only what came: a list is long, and changes often.
    const changed = (changes: MutationRecord[]) => {
      for (const { addedNodes } of changes) {
        for (const added of addedNodes) if (added instanceof Element) close(added, stop);
      }
      choose();
    };
    for (const message of list.querySelectorAll(messages)) turn(message, false);
    choose();
    const observer = new MutationObserver(changed);
    observer.observe(list, { childList: true, subtree: true });
    // After the focus has moved.
    const left = () => queueMicrotask(choose);
    list.addEventListener('focusin', choose);
    list.addEventListener('focusout', left);
    return () => {
      observer.disconnect();
      list.removeEventListener('focusin', choose);
      list.removeEventListener('focusout', left);
    };
  }, [ref]);
}

function lastOf(list: HTMLElement): Element | null {
  const rows = list.querySelectorAll(messages);
  return rows[rows.length - 1] ?? null;
}

function turn(message: Element, isStop: boolean): void {
  if (message instanceof HTMLElement) message.tabIndex = isStop ? 0 : -1;
  for (const one of message.querySelectorAll<HTMLElement>(controls)) turnControl(one, isStop);
}

function turnControl(control: HTMLElement, isStop: boolean): void {
  if (!isStop) control.tabIndex = -1;
  else control.removeAttribute('tabindex');
}

/** Takes what was added out of the way of Tab, unless it is in the message where that stops. */
function close(added: Element, stop: Element | null): void {
  const message = added.closest(messages);
  if (!message) {
    for (const one of added.querySelectorAll(messages)) turn(one, false);
  } else if (message !== stop) {
    if (added === message) turn(message, false);
    else
      for (const one of [added, ...added.querySelectorAll(controls)]) {
        if (one instanceof HTMLElement && one.matches(controls)) turnControl(one, false);
      }
  }
}
