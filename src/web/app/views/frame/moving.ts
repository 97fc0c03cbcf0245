import { messageFieldNear } from '../../focus.ts';

const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });

/** The conversation or thread that has the focus, else the first that is shown. */
function conversation(): Element | null {
  const here = document.activeElement?.closest('.conversation');
  return here ?? [...document.querySelectorAll('.conversation')].find(isSeen) ?? null;
}

/** The message of a list that Tab stops at. */
const stopIn = (list: Element): HTMLElement | null =>
  list.querySelector<HTMLElement>('article[data-id][tabindex="0"]') ??
  [...list.querySelectorAll<HTMLElement>('article[data-id]')].at(-1) ??
  null;

/** Moves the focus to the newest message, and from there as arrow keys do. @returns whether there is one */
export function moveAmongMessages(key: 'ArrowUp' | 'ArrowDown'): boolean {
  const list = conversation()?.querySelector('.scroller');
  const stop = list && stopIn(list);
  if (!stop) return false;
  const here = document.activeElement?.closest('article[data-id]');
  if (here && list.contains(here))
    here.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  else stop.focus();
  return true;
}

/** Moves the focus to where one writes. @returns whether that is possible */
export function focusField(): boolean {
  const field = messageFieldNear(conversation());
  field?.focus();
  return field !== null;
}

/** Opens the choice of a reaction to the message that has the focus. @returns whether one has it */
export function react(): boolean {
  const message = document.activeElement?.closest('article[data-id]');
  const button = message?.querySelector<HTMLElement>('.actions [aria-haspopup=dialog]') ?? null;
  button?.click();
  return button !== null;
}

/** The parts of the page, in the order of their places. */
const regions = [
  '.rail',
  '.list',
  '.page',
  '.conversation:not(.thread) .scroller',
  '.conversation:not(.thread) .composer',
  '.thread .scroller',
  '.thread .composer',
  '.beside',
];

/** Moves the focus to the next part of the page, or the one before. @returns whether there are others */
export function moveAmongRegions(step: 1 | -1): boolean {
  const all = regions.flatMap((selector) => [...document.querySelectorAll(selector)].filter(isSeen));
  const here = all.findIndex((region) => region.contains(document.activeElement));
  const following = all.map((_, i) => all.at((Math.max(here, step < 0 ? 0 : -1) + step * (i + 1)) % all.length));
  return following.some((region) => {
    const place = region && placeIn(region);
    place?.focus();
    return Boolean(place);
  });
}

/** What is chosen in a part of the page, else where one types or the first that can have the focus. */
function placeIn(region: Element): HTMLElement | null {
  if (region.matches('.scroller')) return stopIn(region);
  const all = region.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex="0"]');
  const usable = [...all].filter((one) => isSeen(one) && !one.matches(':disabled'));
  const best = usable.find((one) => one.matches('[aria-current]') || one.matches('textarea'));
  return best ?? usable[0] ?? null;
}
