import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../useApp.ts';

/** Texts taller than this, in pixels, are folded to much less: unfolding only a few lines would be a nuisance. */
const maxHeight = 1000;

/** Shorter texts cannot be that tall even on a narrow screen, and need not be measured. */
const mayBeTall = (content: string) => content.length > 1000 || content.split('\n', 26).length > 25;

interface FoldingProps {
  /** The text that `children` render. */
  content: string;
  /** Whether it is never folded, since someone is reading it. */
  whole?: boolean;
  children: ComponentChildren;
}

/** Shows the beginning of a very long text, and the rest on demand. */
export function Folding({ content, whole = false, children }: FoldingProps) {
  const { t } = useTexts();
  const ref = useRef<HTMLDivElement>(null);
  const [isTall, setIsTall] = useState(false);
  const [open, setOpen] = useState(false);
  const place = useRef<(() => void) | null>(null);
  useLayoutEffect(() => {
    const fold = ref.current;
    const inner = fold?.firstElementChild;
    if (!fold || !inner || whole || !mayBeTall(content)) return setIsTall(false);
    const measure = () => setIsTall(fold.scrollHeight > maxHeight);
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
    if (fold) place.current = keepPosition(fold, fold.getBoundingClientRect().top - fold.scrollTop);
    setOpen(true);
  };
  const shut = () => {
    place.current = () => ref.current?.scrollIntoView({ block: 'nearest' });
    setOpen(false);
  };
  const isShut = isTall && !open;
  return (
    <>
      {/* The browser's search and Tab scroll to hidden parts: then it unfolds. */}
      <div class={isShut ? 'folding shut' : 'folding'} ref={ref} onScroll={isShut ? unfold : undefined}>
        {children}
      </div>
      {isTall && (
        <button type="button" class="link" aria-expanded={open} onClick={open ? shut : unfold}>
          {open ? t('Show less') : t('Show more')}
        </button>
      )}
    </>
  );
}

/** Lists are reversed: an unfolded text would grow upwards, away from the reader. */
const keepPosition = (fold: Element, top: number) => () => {
  const scroller = fold.closest('.scroller');
  if (scroller) scroller.scrollTop += fold.getBoundingClientRect().top - top;
};
