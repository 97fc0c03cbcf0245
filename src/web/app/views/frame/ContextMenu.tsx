import { useLayoutEffect, useRef } from 'preact/hooks';
import type { EntryMenu } from '../../state/entry-menu.ts';
import { useBeside, useOutside } from '../parts/floating.ts';
import { Item, type MenuItem, step } from '../parts/Menu.tsx';

/** Items that belong together. */
export interface MenuGroup {
  /** Read out before them. */
  label?: string;
  items: MenuItem[];
}

interface ContextMenuProps {
  /** What the menu is of. */
  label: string;
  at: EntryMenu['at'];
  groups: MenuGroup[];
  onClose(): void;
}

/** What is chosen may put the entry elsewhere in the lists: the focus goes along. */
function giveBack(entry: HTMLElement): void {
  entry.focus({ preventScroll: true });
  const href = entry.getAttribute('href');
  requestAnimationFrame(() => {
    if (entry.isConnected || !href || document.activeElement !== document.body) return;
    document.querySelector<HTMLElement>(`.list a[href=${JSON.stringify(href)}]`)?.focus();
  });
}

/** A menu at a place of the window. Arrow keys move in it, Escape closes it, and the focus returns. */
export function ContextMenu({ label, at, groups, onClose }: ContextMenuProps) {
  const root = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    before.current = document.activeElement;
  }, []);
  useBeside(anchor, list, true, 'start');
  useOutside(root, true, onClose);
  useLayoutEffect(() => {
    list.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus({ preventScroll: true });
  }, []);
  const close = () => {
    onClose();
    if (before.current instanceof HTMLElement) giveBack(before.current);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (!list.current || !step(list.current, event.key)) return;
    event.preventDefault();
  };
  return (
    <div class="menu context" ref={root}>
      <span class="at" ref={anchor} style={{ left: `${at.x}px`, top: `${at.y}px` }} />
      <div
        class="items"
        popover="manual"
        ref={list}
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={press}
        onContextMenu={(event) => event.preventDefault()}
      >
        {groups.map((group) => (
          <fieldset key={group.items[0]?.label} class="group" aria-label={group.label}>
            {group.label && (
              <span class="hint" aria-hidden="true">
                {group.label}
              </span>
            )}
            {group.items.map((item) => (
              <Item key={item.label} item={item} onClose={close} />
            ))}
          </fieldset>
        ))}
      </div>
    </div>
  );
}
