import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageFieldNear } from '../../focus.ts';
import type { Timeline } from '../../state/timeline.ts';
import { type AppState, useApp } from '../useApp.ts';

/** Within this many pixels of an end it counts as reached, or more is loaded. */
const nearEnd = 40;
const nearStart = 800;
/** For who scrolls back: what is loaded should be there before they are. */
const onTheWay = 1300;

/** Keeps the position in a list of messages when older ones are inserted, after a visit elsewhere, and over a reload. */
export function useScroll(ref: RefObject<HTMLElement | null>, timeline: Timeline, target: string | null) {
  const app = useApp();
  const [atEnd, setAtEnd] = useState(true);
  const placed = useRef<string | null>(null);
  const loaded = timeline.loaded.value;
  const messages = timeline.messages.value;
  const hasTarget = target !== null && messages.some(({ id }) => id === target);

  /** The scroll position when the view was last inspected. */
  const lookedAt = useRef<number | null>(null);
  useHeldPosition(ref, timeline, lookedAt);
  useLayoutEffect(() => {
    const scroller = ref.current;
    if (!scroller || !loaded) return;
    const key = hasTarget ? target : timeline.key;
    if (placed.current === key) return;
    placed.current = key;
    if (hasTarget && target) showInMiddle(app, scroller, timeline, target);
    else if (target === null) restore(app, scroller, timeline.key);
  }, [loaded, hasTarget, target, timeline, ref]);

  const look = useCallback(() => {
    const scroller = ref.current;
    if (!scroller || !timeline.loaded.peek()) return;
    setAtEnd(inspectView(app, scroller, timeline));
    lookedAt.current = scroller.scrollTop;
  }, [app, timeline, ref]);
  useEffect(look, [loaded, messages, look]);
  useEffect(() => {
    const scroller = ref.current;
    if (!scroller) return;
    scroller.addEventListener('scroll', look, { passive: true });
    scroller.addEventListener('keydown', walk);
    return () => {
      scroller.removeEventListener('scroll', look);
      scroller.removeEventListener('keydown', walk);
    };
  }, [look, ref]);

  const toEnd = useCallback(() => {
    const show = () => ref.current?.scrollTo({ top: 0 });
    if (timeline.hasNewer.peek()) void timeline.showNewest().then(() => requestAnimationFrame(show));
    else show();
  }, [timeline, ref]);

  return { atEnd, toEnd, look };
}

/** Stores the position, and loads more near an end. @returns whether the newest messages are in view */
function inspectView(app: AppState, scroller: HTMLElement, timeline: Timeline): boolean {
  // The scroller is reversed: 0 is the end, and older messages are at negative positions.
  const fromEnd = -scroller.scrollTop;
  const fromStart = scroller.scrollHeight - scroller.clientHeight - fromEnd;
  const isAtEnd = fromEnd < nearEnd && !timeline.hasNewer.peek();
  app.anchors.keep(timeline.key, isAtEnd ? null : topOf(scroller));
  if (fromStart < (fromEnd < nearEnd ? nearStart : onTheWay)) void timeline.loadOlder();
  if (fromEnd < nearStart) void timeline.loadNewer();
  return isAtEnd;
}

const elementOf = (scroller: HTMLElement, id: string) =>
  scroller.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);

function showInMiddle(app: AppState, scroller: HTMLElement, timeline: Timeline, id: string): void {
  elementOf(scroller, id)?.scrollIntoView({ block: 'center' });
  app.anchors.keep(timeline.key, topOf(scroller));
}

/**
 * Keeps the position while content below it is added, grows or is removed. Most browsers do that by themselves; Safari
 * does not.
 */
function useHeldPosition(
  ref: RefObject<HTMLElement | null>,
  { key, messages }: Timeline,
  lookedAt: RefObject<number | null>,
): void {
  const app = useApp();
  const hold = () => {
    const scroller = ref.current;
    // Before anything is measured: that takes its time.
    if (!scroller || CSS.supports('overflow-anchor', 'auto')) return;
    // A user who has scrolled since decides the place.
    if (lookedAt.current !== scroller.scrollTop) return;
    restore(app, scroller, key);
    lookedAt.current = scroller.scrollTop;
  };
  // Before the view is inspected again.
  useLayoutEffect(hold, [messages.value, key]);
  useEffect(() => {
    const list = ref.current?.firstElementChild;
    if (!list || CSS.supports('overflow-anchor', 'auto')) return;
    const observer = new ResizeObserver(hold);
    observer.observe(list);
    return () => observer.disconnect();
  }, [ref, key]);
}

function restore(app: AppState, scroller: HTMLElement, channelId: string): void {
  const anchor = app.anchors.of(channelId);
  const element = anchor && elementOf(scroller, anchor.messageId);
  if (!anchor || !element) return;
  const offset = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += offset - anchor.offset;
}

/** The first message in view. By halves, since they are in order. */
function topOf(scroller: HTMLElement) {
  const { top } = scroller.getBoundingClientRect();
  const all = scroller.querySelectorAll<HTMLElement>('article[data-id]');
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.getBoundingClientRect().bottom ?? 0) > top) high = middle;
    else low = middle + 1;
  }
  const first = all[low];
  return first ? { messageId: first.dataset.id ?? '', offset: first.getBoundingClientRect().top - top } : null;
}

/** Arrow keys move between messages, and Escape to the message field. */
function walk(event: KeyboardEvent): void {
  if (!(event.target instanceof HTMLElement) || !(event.currentTarget instanceof HTMLElement)) return;
  // An open menu, for one, has taken its keys.
  if (event.defaultPrevented || event.target.closest('textarea, dialog, [popover]')) return;
  if (event.key === 'Escape') messageFieldNear(event.currentTarget)?.focus();
  const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
  if (step === 0) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('article')];
  const at = all.findIndex((article) => article.contains(document.activeElement));
  const next = all[at < 0 ? all.length - 1 : at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
