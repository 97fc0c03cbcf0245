import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../../../client/index.ts';
import type { Timeline } from '../../state/timeline.ts';
import { type AppState, useApp } from '../useApp.ts';
import { Heights, type Piece, piecesOf, placesOf, type Range, rangeAround, stepped, type View } from './rows.ts';

/** No row is lower than that, in pixels: so many are in view at most. */
const leastHeight = 24;

interface Drawing {
  timeline: Timeline;
  range: Range | null;
  heights: Heights;
  /** By ids, those that stay drawn wherever the view is. */
  held: ReadonlySet<string>;
  /** The last message that was to be brought into view, and was there. */
  target: string | null;
}

interface Rows {
  pieces: Piece[];
  range: Range | null;
  /** Draws the newest. */
  showEnd(): void;
}

/**
 * Which messages of a timeline are drawn: those in view, and some beyond it. So a list of hundreds costs no more than what
 * is seen of it, and rows that come into view while one scrolls are made a few in a frame.
 */
export function useRows(ref: RefObject<HTMLElement | null>, timeline: Timeline, target: string | null): Rows {
  const app = useApp();
  const messages = timeline.messages.value;
  const isOpen = !timeline.hasNewer.value;
  const editing = app.drafts.editing.value;
  const drawing = useDrawing(timeline);
  const [, redraw] = useState(0);
  drawing.range = rangeFor(app, drawing, messages, target, isOpen);
  const range = drawing.range;

  const look = useCallback(() => {
    const scroller = ref.current;
    const list = timeline.messages.peek();
    if (!scroller || list.length === 0 || !drawing.range) return;
    const view = viewOf(scroller, list, drawing.range);
    if (!view) return;
    const drawn = { list, range: drawing.range, heights: drawing.heights, isOpen: !timeline.hasNewer.peek() };
    const mayDrop = !isSelecting(scroller);
    // Heights are needed only where rows come or go.
    if (stepped({ ...drawn, mayDrop }, view) === drawing.range) return;
    measure(scroller, drawing.heights);
    drawing.range = stepped({ ...drawn, mayDrop }, view);
    drawing.held = heldIn(scroller);
    redraw((count) => count + 1);
  }, [timeline, drawing, ref]);

  const later = useFrame(look);
  // Before what is missing in view is seen to be missing.
  const first = useRef<Timeline | null>(null);
  useLayoutEffect(() => {
    if (first.current === timeline || messages.length === 0) return later();
    first.current = timeline;
    look();
    later();
  }, [messages, range, timeline]);
  useWatch(ref, drawing.heights, later);
  const held = editing === null ? drawing.held : new Set(drawing.held).add(editing);
  return {
    range,
    pieces: range ? piecesOf(messages, range, held, drawing.heights) : [],
    showEnd() {
      if (timeline.hasNewer.peek()) return;
      drawing.range = rangeAround(timeline.messages.peek(), null, inView(), true);
      redraw((count) => count + 1);
    },
  };
}

/** What was drawn of another timeline says nothing about this one. */
function useDrawing(timeline: Timeline): Drawing {
  const drawing = useRef<Drawing | null>(null);
  if (drawing.current?.timeline !== timeline) {
    drawing.current = { timeline, range: null, heights: new Heights(), held: new Set(), target: null };
  }
  return drawing.current;
}

const inView = (): number => Math.ceil(innerHeight / leastHeight / 1.5);

/** What is drawn already, unless it is gone from the list, or something else is to be shown. */
function rangeFor(
  app: AppState,
  drawing: Drawing,
  messages: readonly Message[],
  target: string | null,
  isOpen: boolean,
): Range | null {
  if (messages.length === 0) return null;
  const places = drawing.range && placesOf(messages, drawing.range);
  const isThere = places !== null && places[0] < places[1];
  const wanted = target === drawing.target ? null : placeOf(messages, target);
  if (wanted !== null || target === null) drawing.target = target;
  if (isThere && (wanted === null || (wanted >= places[0] && wanted < places[1]))) return drawing.range;
  const anchor = app.anchors.of(drawing.timeline.key);
  const at = wanted ?? placeOf(messages, target ?? anchor?.messageId ?? null);
  return rangeAround(messages, at, inView(), isOpen);
}

function placeOf(messages: readonly Message[], id: string | null): number | null {
  const at = id === null ? -1 : messages.findIndex((message) => message.id === id);
  return at < 0 ? null : at;
}

/** Does something once in the next frame, however often it is asked to. */
function useFrame(work: () => void): () => void {
  const waiting = useRef<number | null>(null);
  const later = useCallback(() => {
    waiting.current ??= requestAnimationFrame(() => {
      waiting.current = null;
      work();
    });
  }, [work]);
  useEffect(
    () => () => {
      if (waiting.current !== null) cancelAnimationFrame(waiting.current);
      waiting.current = null;
    },
    [work],
  );
  return later;
}

/** Looks again when someone scrolls, and when there is more or less room. */
function useWatch(ref: RefObject<HTMLElement | null>, heights: Heights, later: () => void): void {
  useEffect(() => {
    const scroller = ref.current;
    if (!scroller) return;
    let width = scroller.clientWidth;
    const resized = () => {
      if (scroller.clientWidth !== width) heights.forget();
      width = scroller.clientWidth;
      later();
    };
    const observer = new ResizeObserver(resized);
    observer.observe(scroller);
    scroller.addEventListener('scroll', later, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', later);
    };
  }, [ref, heights, later]);
}

const rowsIn = (scroller: HTMLElement) => scroller.querySelectorAll<HTMLElement>('[data-row]');

const rowOf = (scroller: HTMLElement, id = '') => scroller.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);

/** @returns null where nothing is seen: on a phone a thread is shown instead of its channel */
function viewOf(scroller: HTMLElement, list: readonly Message[], range: Range): View | null {
  const [first, end] = placesOf(list, range);
  const [top, bottom] = [rowOf(scroller, list[first]?.id), rowOf(scroller, list[end - 1]?.id)];
  const box = scroller.getBoundingClientRect();
  if (!top || !bottom || box.height === 0) return null;
  return {
    above: box.top - top.getBoundingClientRect().top,
    below: bottom.getBoundingClientRect().bottom - box.bottom,
    height: box.height,
  };
}

function measure(scroller: HTMLElement, heights: Heights): void {
  for (const row of rowsIn(scroller)) heights.note(row.dataset.row ?? '', row.getBoundingClientRect().height);
}

/** What has the focus, and what plays, is not taken away from who scrolls on. */
function heldIn(scroller: HTMLElement): ReadonlySet<string> {
  const playing = [...scroller.querySelectorAll<HTMLMediaElement>('audio, video')].filter(({ paused }) => !paused);
  const rows = [document.activeElement, ...playing].map((one) => one?.closest<HTMLElement>('[data-row]'));
  return new Set(rows.flatMap((row) => (row && scroller.contains(row) ? (row.dataset.row ?? []) : [])));
}

/** Whether someone marks what is said: what is not drawn could not be copied. */
function isSelecting(scroller: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && scroller.contains(selection.anchorNode);
}
