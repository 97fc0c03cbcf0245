import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Align, useBeside, useOutside } from './floating.ts';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  /** For exclusive choices: whether this is the chosen one. */
  checked?: boolean;
  /** What does the same while the thing itself has the focus. */
  key?: string;
  run(): void;
}

interface MenuProps {
  /** The name of the button where it has only an icon. */
  label: string;
  items: MenuItem[];
  children: ComponentChildren;
  class?: string;
  align?: Align;
  /** -1 where arrow keys move the focus instead of Tab. */
  tabIndex?: number;
}

/** A button that opens a list of actions. Arrow keys move in it, Escape closes it and returns the focus. */
export function Menu({ label, items, children, class: kind = 'icon', align = 'end', tabIndex }: MenuProps) {
  const { open, setOpen, root, button, list, close, press } = useMenu(align);
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        ref={button}
        class={kind}
        aria-label={kind === 'icon' ? label : undefined}
        title={label}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={press}
      >
        {children}
      </button>
      {open && (
        <div class="items" popover="manual" ref={list} role="menu" aria-label={label} tabIndex={-1} onKeyDown={press}>
          {items.map((item) => (
            <Item key={item.label} item={item} onClose={close} />
          ))}
        </div>
      )}
    </div>
  );
}

/** The state of a menu, and its keys. */
function useMenu(align: Align) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useOutside(root, open, () => setOpen(false));
  useBeside(button, list, open, align);
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    if (open) list.current?.querySelector<HTMLElement>('[role^=menuitem]')?.focus({ preventScroll: true });
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
    } else if (list.current && step(list.current, event.key)) event.preventDefault();
  };
  return { open, setOpen, root, button, list, close, press };
}

/** An action of a menu. */
export function Item({ item, onClose }: { item: MenuItem; onClose(): void }) {
  const choose = () => {
    onClose();
    item.run();
  };
  const content = (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span>{item.label}</span>
      {item.checked && <Icon name="check" />}
      {item.key && (
        <span class="key" aria-hidden="true">
          <kbd>{item.key}</kbd>
        </span>
      )}
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

/** Moves the focus among the items. @returns whether the key was for that */
export function step(list: HTMLElement, key: string): boolean {
  const items = [...list.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  const next = to[key];
  if (next === undefined) return false;
  items[(next + items.length) % items.length]?.focus();
  return true;
}
