import { useEffect } from 'preact/hooks';
import { go } from '../../state/router.ts';

/** Alt with an arrow key leads to the next place of the list at the side, with Shift to the next one that is unread. */
export function useNeighbours(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      if (step === 0 || !event.altKey || event.ctrlKey || event.metaKey) return;
      // A dialog is to be answered first.
      if (document.querySelector('dialog[open]')) return;
      event.preventDefault();
      const next = neighbour(step, event.shiftKey);
      if (next) go(next.pathname);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** Past the end comes the beginning. */
function neighbour(step: number, isUnread: boolean): HTMLAnchorElement | undefined {
  const all = [...document.querySelectorAll<HTMLAnchorElement>('.list .entry')];
  const here = all.findIndex((entry) => entry.hasAttribute('aria-current'));
  const following = all.map((_, i) => all.at((Math.max(here, 0) + step * (i + 1)) % all.length));
  return following.find((entry) => !isUnread || entry?.classList.contains('unread'));
}
