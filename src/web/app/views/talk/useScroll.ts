import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { composerBeside } from '../../state/focus.ts';
import { anchorOf, keepAnchor } from '../../state/scroll.ts';
import type { Timeline } from '../../state/timeline.ts';

/** So near to an end (in pixels) counts as there, or fetches what lies beyond. */
const nearEnd = 40;
const nearStart = 800;

/** Keeps the place in a list of messages: over older ones put before it, over leaving and reloading. */
export function useScroll(ref: RefObject<HTMLElement | null>, timeline: Timeline, target: string | null) {
  const [atEnd, setAtEnd] = useState(true);
  const placed = useRef<string | null>(null);
  const loaded = timeline.loaded.value;
  const messages = timeline.messages.value;
  const hasTarget = target !== null && messages.some(({ id }) => id === target);

  useHeldPlace(ref, timeline);
  useLayoutEffect(() => {
    const scroller = ref.current;
    if (!scroller || !loaded) return;
    const key = hasTarget ? target : timeline.key;
    if (placed.current === key) return;
    placed.current = key;
    if (hasTarget && target) showInMiddle(scroller, timeline, target);
    else if (target === null) restore(scroller, timeline.key);
  }, [loaded, hasTarget, target, timeline, ref]);

  useEffect(() => {
    const scroller = ref.current;
    if (!scroller || !loaded) return;
    const look = () => setAtEnd(lookAround(scroller, timeline));
    look();
    scroller.addEventListener('scroll', look, { passive: true });
    scroller.addEventListener('keydown', walk);
    return () => {
      scroller.removeEventListener('scroll', look);
      scroller.removeEventListener('keydown', walk);
    };
  }, [loaded, messages, timeline, ref]);

  const toEnd = useCallback(() => {
    const show = () => ref.current?.scrollTo({ top: 0 });
    if (timeline.hasNewer.peek()) void timeline.showNewest().then(() => requestAnimationFrame(show));
    else show();
  }, [timeline, ref]);

  return { atEnd, toEnd };
}

/** Remembers the place, and fetches what comes near. @returns whether the newest messages are in view */
function lookAround(scroller: HTMLElement, timeline: Timeline): boolean {
  // The scroller is turned round: 0 is the end, and going back in time is negative.
  const fromEnd = -scroller.scrollTop;
  const fromStart = scroller.scrollHeight - scroller.clientHeight - fromEnd;
  const isAtEnd = fromEnd < nearEnd && !timeline.hasNewer.peek();
  keepAnchor(timeline.key, isAtEnd ? null : topOf(scroller));
  lookedAt.set(scroller, scroller.scrollTop);
  if (fromStart < nearStart) void timeline.loadOlder();
  if (fromEnd < nearStart) void timeline.loadNewer();
  return isAtEnd;
}

const elementOf = (scroller: HTMLElement, id: string) =>
  scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);

function showInMiddle(scroller: HTMLElement, timeline: Timeline, id: string): void {
  elementOf(scroller, id)?.scrollIntoView({ block: 'center' });
  keepAnchor(timeline.key, topOf(scroller));
}

/** Where a list was when it was last looked what is in view. */
const lookedAt = new WeakMap<HTMLElement, number>();

/**
 * Keeps what is read where it is while something comes or grows below it, or goes from there. Most browsers do that by
 * themselves; Safari does not.
 */
function useHeldPlace(ref: RefObject<HTMLElement | null>, { key, messages }: Timeline): void {
  const hold = () => {
    const scroller = ref.current;
    // Who has scrolled since goes where they want.
    if (!scroller || lookedAt.get(scroller) !== scroller.scrollTop || CSS.supports('overflow-anchor', 'auto')) return;
    restore(scroller, key);
    lookedAt.set(scroller, scroller.scrollTop);
  };
  // Before it is looked again what is in view.
  useLayoutEffect(hold, [messages.value, key]);
  useEffect(() => {
    const list = ref.current?.firstElementChild;
    if (!list) return;
    const observer = new ResizeObserver(hold);
    observer.observe(list);
    return () => observer.disconnect();
  }, [ref, key]);
}

function restore(scroller: HTMLElement, channelId: string): void {
  const anchor = anchorOf(channelId);
  const element = anchor && elementOf(scroller, anchor.messageId);
  if (!anchor || !element) return;
  const offset = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += offset - anchor.offset;
}

/** The first message that is in view. */
function topOf(scroller: HTMLElement) {
  const { top } = scroller.getBoundingClientRect();
  for (const element of scroller.querySelectorAll<HTMLElement>('article[data-id]')) {
    const rect = element.getBoundingClientRect();
    if (rect.bottom > top) return { messageId: element.dataset.id ?? '', offset: rect.top - top };
  }
  return null;
}

/** Arrow keys go from message to message, and Escape to where one writes. */
function walk(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement) || !(event.currentTarget instanceof HTMLElement)) return;
  if (event.target.closest('textarea, dialog, fieldset')) return;
  if (event.key === 'Escape') composerBeside(event.currentTarget)?.focus();
  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
  if (step === 0) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('article')];
  const at = all.findIndex((article) => article.contains(document.activeElement));
  const next = all[at < 0 ? all.length - 1 : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

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
