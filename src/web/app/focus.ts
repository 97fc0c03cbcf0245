import { isTouched } from './browser.ts';

/**
 * Moves the focus when its element is removed: a closed thread, a finished list item. Otherwise the next key would start at
 * the top of the page.
 */
export function keepFocus(root: Element): void {
  /** The last focused element and its ancestors, innermost first; empty when it was left on purpose. It may be there already. */
  let path = document.activeElement ? around(document.activeElement) : [];
  const isLost = () => document.activeElement === document.body && path[0]?.isConnected === false;
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? around(target) : [];
  });
  document.addEventListener('pointerdown', () => {
    path = [];
  });
  const observer = new MutationObserver(() => {
    // The code that removed it may choose a better target, as dialogs do; effects have run after the next frame.
    if (isLost()) requestAnimationFrame(() => setTimeout(() => isLost() && placeFor(path)?.focus()));
  });
  observer.observe(root, { childList: true, subtree: true });
}

function around(element: Element): Element[] {
  const all: Element[] = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) all.push(at);
  return all;
}

/** The link past all lists is one only for those who come to it: elsewhere it would cover what is there. */
const controls = ':is(a[href], button, input, select, textarea):not(.skip)';

/** The text box, or the first control, in the nearest remaining ancestor; on a new page, its heading. */
function placeFor(lost: readonly Element[]): HTMLElement | undefined {
  for (const element of lost.filter(({ isConnected }) => isConnected)) {
    const talk = element.closest('.conversation') ?? element;
    const composer = talk.querySelector<HTMLElement>('.composer textarea');
    if (composer?.checkVisibility() && !isTouched()) return composer;
    const heading = element.querySelector<HTMLElement>('main h1');
    if (heading?.checkVisibility()) {
      heading.tabIndex = -1;
      return heading;
    }
    // On a phone a list may be in the place of the page.
    const lists = element.querySelector('main')?.checkVisibility() === false && element.querySelector('.list');
    const entry = lists && [...lists.querySelectorAll<HTMLElement>(controls)].find(isUsable);
    if (entry) return entry;
    const first = [...element.querySelectorAll<HTMLElement>(controls)].find(isUsable);
    if (first) return first;
  }
  return undefined;
}

/** On a phone focusing a text box would open the keyboard. */
const isUsable = (element: HTMLElement): boolean =>
  element.checkVisibility() && !element.matches(':disabled') && !(isTouched() && element.matches('input, textarea'));

/** Moves the focus past all servers and channels: to the page, or on a phone to the list that is in its place. */
export function focusContent(): void {
  const main = document.getElementById('main');
  if (main?.checkVisibility()) main.focus();
  else [...document.querySelectorAll<HTMLElement>(`.list ${controls}`)].find(isUsable)?.focus();
}

/** The message field of the channel or thread that an element is in. */
export function messageFieldNear(element: Element | null): HTMLElement | null {
  return element?.closest('.conversation')?.querySelector<HTMLElement>('.composer textarea') ?? null;
}
