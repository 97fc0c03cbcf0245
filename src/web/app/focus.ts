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

/** The text box, or the first control, in the nearest remaining ancestor; on a new page, its heading. */
function placeFor(lost: readonly Element[]): HTMLElement | undefined {
  for (const element of lost.filter(({ isConnected }) => isConnected)) {
    const talk = element.closest('.conversation') ?? element;
    const composer = talk.querySelector<HTMLElement>('.composer textarea');
    if (composer && !isTouched()) return composer;
    const heading = element.querySelector<HTMLElement>('main h1');
    if (heading) {
      heading.tabIndex = -1;
      return heading;
    }
    const first = [...element.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea')].find(isUsable);
    if (first) return first;
  }
  return undefined;
}

/** On a phone focusing a text box would open the keyboard. */
const isUsable = (element: HTMLElement): boolean =>
  element.checkVisibility() && !element.matches(':disabled') && !(isTouched() && element.matches('input, textarea'));

/** The message field of the channel or thread that an element is in. */
export function messageFieldNear(element: Element | null): HTMLElement | null {
  return element?.closest('.conversation')?.querySelector<HTMLElement>('.composer textarea') ?? null;
}
