import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  /** For exclusive choices: whether this is the chosen one. */
  checked?: boolean;
  run(): void;
}

interface MenuProps {
  /** The name of the button where it has only an icon. */
  label: string;
  items: MenuItem[];
  children: ComponentChildren;
  class?: string;
  /** The side that the list is aligned with. */
  align?: 'start' | 'end';
}

/** A button that opens a list of actions. Arrow keys move in it, Escape closes it and returns the focus. */
export function Menu({ label, items, children, class: kind = 'icon', align = 'end' }: MenuProps) {
  const { open, upward, setOpen, root, button, close, press } = useMenu();
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        ref={button}
        class={kind}
        aria-label={kind === 'icon' ? label : undefined}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={press}
      >
        {children}
      </button>
      {open && (
        <div
          class={`items ${align} ${upward ? 'upward' : ''}`}
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={press}
        >
          {items.map((item) => (
            <Item key={item.label} item={item} onClose={close} />
          ))}
        </div>
      )}
    </div>
  );
}

/** The state of a menu, and its keys. */
function useMenu() {
  const [open, setOpen] = useState(false);
  const [upward, setUpward] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useOutside(root, open, () => setOpen(false));
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    if (!open || !root.current) return;
    setUpward(opensUpward(root.current));
    root.current.querySelector<HTMLElement>('[role^=menuitem]')?.focus({ preventScroll: true });
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === 'Escape' || event.key === 'Tab') {
      close();
      // In a dialog the key would also close the dialog.
      if (event.key === 'Escape') event.preventDefault();
    } else if (root.current && step(root.current, event.key)) event.preventDefault();
  };
  return { open, upward, setOpen, root, button, close, press };
}

/** Whether the items do not fit below, and there is more room above. */
function opensUpward(root: HTMLElement): boolean {
  const { top, bottom } = root.getBoundingClientRect();
  const height = root.querySelector('[role=menu]')?.clientHeight ?? 0;
  const below = innerHeight - bottom;
  return height > below && top > below;
}

function Item({ item, onClose }: { item: MenuItem; onClose(): void }) {
  const choose = () => {
    onClose();
    item.run();
  };
  const content = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span>{item.label}</span>
      {item.checked && <Icon name="check" />}
    </>
  );
  const kind = item.danger ? 'item danger' : 'item';
  if (item.checked === undefined) {
    return (
      <button type="button" role="menuitem" class={kind} onClick={choose}>
        {content}
      </button>
    );
  }
  return (
    <button type="button" role="menuitemradio" aria-checked={item.checked} class={kind} onClick={choose}>
      {content}
    </button>
  );
}

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

/** Moves the focus among the items. @returns whether the key was for that */
function step(root: HTMLElement, key: string): boolean {
  const items = [...root.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  const next = to[key];
  if (next === undefined) return false;
  items[(next + items.length) % items.length]?.focus();
  return true;
}
