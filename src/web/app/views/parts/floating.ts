import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';

/** The side of its anchor that a box is aligned with. */
export type Align = 'start' | 'end';

/** Pixels between a box and its anchor, and between a box and the edges of the window. */
const gap = 4;
const margin = 8;

/**
 * Shows a box above everything else, beside its anchor, and keeps it there: nothing around it cuts it off, and all of it is
 * on the screen. The box has `popover="manual"`.
 */
export function useBeside(
  anchor: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
  open: boolean,
  align: Align,
): void {
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    const [from, to] = [anchor.current, box.current];
    if (!open || !from || !to) return;
    to.showPopover();
    const put = () => putBeside(from.getBoundingClientRect(), to, align);
    put();
    addEventListener('resize', put);
    // Of whatever it is in: scrolling does not bubble.
    addEventListener('scroll', put, true);
    return () => {
      removeEventListener('resize', put);
      removeEventListener('scroll', put, true);
    };
  }, [open]);
}

function putBeside(anchor: DOMRect, box: HTMLElement, align: Align): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = innerHeight - anchor.bottom;
  const isAbove = height + gap + margin > below && anchor.top > below;
  const top = isAbove ? anchor.top - gap - height : anchor.bottom + gap;
  const isLeft = (align === 'start') !== (document.dir === 'rtl');
  const left = isLeft ? anchor.left : anchor.right - width;
  box.style.top = `${within(top, innerHeight - height)}px`;
  box.style.left = `${within(left, innerWidth - width)}px`;
}

const within = (place: number, room: number): number => Math.max(margin, Math.min(place, room - margin));

/** Calls `close` at a click or a focus anywhere else. */
export function useOutside(root: RefObject<HTMLElement | null>, open: boolean, close: () => void): void {
  useEffect(() => {
    if (!open) return;
    const look = (event: Event) => {
      if (event.target instanceof Element && !root.current?.contains(event.target)) close();
    };
    document.addEventListener('pointerdown', look);
    document.addEventListener('focusin', look);
    return () => {
      document.removeEventListener('pointerdown', look);
      document.removeEventListener('focusin', look);
    };
  }, [open]);
}
