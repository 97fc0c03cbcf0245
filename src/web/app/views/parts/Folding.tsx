import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** What is taller than this (in pixels) is folded, to a part of it: a button for a few lines more would be a nuisance. */
const tallest = 1000;

/** Shorter texts cannot be that tall even on a narrow screen, and need not be measured. */
const mayBeTall = (content: string) => content.length > 1000 || content.split('\n', 26).length > 25;

interface FoldingProps {
  /** The text that `children` show. */
  content: string;
  /** Whether it is shown in full: folding it would take it from someone who reads it. */
  whole?: boolean;
  children: ComponentChildren;
}

/** Shows the beginning of what is very long, and the rest to those who want it. */
export function Folding({ content, whole = false, children }: FoldingProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [isTall, setIsTall] = useState(false);
  const [open, setOpen] = useState(false);
  const place = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    const fold = ref.current;
    const inner = fold?.firstElementChild;
    if (!fold || !inner || whole || !mayBeTall(content)) return setIsTall(false);
    const measure = () => setIsTall(fold.scrollHeight > tallest);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(inner);
    return () => observer.disconnect();
  }, [content, whole]);
  useLayoutEffect(() => {
    place.current?.();
    place.current = null;
  }, [open]);
  const unfold = () => {
    const fold = ref.current;
    if (fold) place.current = heldAt(fold, fold.getBoundingClientRect().top - fold.scrollTop);
    setOpen(true);
  };
  const shut = () => {
    place.current = () => ref.current?.scrollIntoView({ block: 'nearest' });
    setOpen(false);
  };
  const isShut = isTall && !open;
  return (
    <>
      {/* A search of the browser, or Tab, that gets to what is hidden scrolls there. */}
      <div class={isShut ? 'fold shut' : 'fold'} ref={ref} onScroll={isShut ? unfold : undefined}>
        {children}
      </div>
      {isTall && (
        <button type="button" class="link" aria-expanded={open} onClick={open ? shut : unfold}>
          {open ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  );
}

/** Lists are turned round: what is unfolded would grow upwards, away from where one reads. */
const heldAt = (fold: Element, top: number) => () => {
  const scroller = fold.closest('.scroller');
  if (scroller) scroller.scrollTop += fold.getBoundingClientRect().top - top;
};
