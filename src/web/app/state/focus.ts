import { isTouched } from './keyboard.ts';

/** What had the focus last, and what that stands in, from inside to outside; empty when it was left on purpose. */
let path: Element[] = [];

/**
 * Finds a place for the focus when what had it is taken away: a thread that is closed, a line of a list that was dealt with.
 * Without one the next key would begin at the top of the page.
 */
export function keepFocus(root: Element): void {
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? around(target) : [];
  });
  document.addEventListener('pointerdown', () => {
    path = [];
  });
  const observer = new MutationObserver(() => {
    // Whoever took it away may have a better place for it, as dialogs have; effects are done after the next frame.
    if (isLost()) requestAnimationFrame(() => setTimeout(() => isLost() && placeFor(path)?.focus()));
  });
  observer.observe(root, { childList: true, subtree: true });
}

const isLost = (): boolean => document.activeElement === document.body && path[0]?.isConnected === false;

function around(element: Element): Element[] {
  const all: Element[] = [];
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) all.push(at);
  return all;
}

/** Where one writes, or what is first in the nearest thing around that is left; on a page that is new, its heading. */
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

/** On a phone a text box would bring up the keyboard. */
const isUsable = (element: HTMLElement): boolean =>
  element.checkVisibility() && !element.matches(':disabled') && !(isTouched() && element.matches('input, textarea'));
