import { useRef } from 'preact/hooks';
import type { MenuOf } from '../../state/entry-menu.ts';
import { useApp } from '../useApp.ts';

/** How long a finger rests on an entry until its menu opens. */
const longMs = 500;

/** Handlers that open the menu of an entry: at a right click, a long press, or the key for menus. */
export function useMenuPress(of: MenuOf | undefined) {
  const { entryMenu } = useApp();
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wasLong = useRef(false);
  if (!of) return {};
  const stop = () => clearTimeout(waiting.current);
  const open = (x: number, y: number) => {
    stop();
    entryMenu.value = { of, at: { x, y } };
  };
  return {
    onContextMenu(event: MouseEvent & { currentTarget: Element }) {
      event.preventDefault();
      const { left, bottom } = event.currentTarget.getBoundingClientRect();
      // Some browsers say of a key that it was pressed in the corner of the window.
      if (event.clientX === 0 && event.clientY === 0) open(left, bottom);
      else open(event.clientX, event.clientY);
    },
    // Not all browsers make a right click of a long press.
    onTouchStart({ touches }: TouchEvent) {
      stop();
      wasLong.current = false;
      const [touch] = touches;
      if (!touch || touches.length > 1) return;
      waiting.current = setTimeout(() => {
        wasLong.current = true;
        open(touch.clientX, touch.clientY);
      }, longMs);
    },
    onTouchMove: stop,
    onTouchEnd(event: TouchEvent) {
      stop();
      // Else it counts as a click as well, whose focus closes the menu, and which goes there.
      if (wasLong.current) event.preventDefault();
    },
    onTouchCancel: stop,
  };
}
