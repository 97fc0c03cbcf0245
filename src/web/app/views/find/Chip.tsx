import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBeside, useOutside } from '../parts/floating.ts';
import { Icon } from '../parts/Icon.tsx';
import { useTexts } from '../useApp.ts';

interface ChipProps {
  label: string;
  /** What is chosen; null: nothing. */
  value: string | null;
  /** Undefined: something is chosen always. */
  onClear?: (() => void) | undefined;
  /** What to choose from. @param close closes the choice */
  children(close: () => void): ComponentChildren;
}

/** A filter: a button that shows what is chosen and opens the choice, and one that takes it back. */
export function Chip({ label, value, onClear, children }: ChipProps) {
  const { t } = useTexts();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useOutside(root, open, () => setOpen(false));
  useBeside(button, box, open, 'start');
  // In a layout effect, to be ready for the next key.
  useLayoutEffect(() => {
    const find = (what: string) => box.current?.querySelector<HTMLElement>(what);
    if (open) (find('input[type=radio]:checked') ?? find('input'))?.focus();
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || !open) return;
    // The panel would be closed, too.
    event.preventDefault();
    close();
  };
  const isSet = value !== null && onClear !== undefined;
  return (
    <span class={isSet ? 'chip set' : 'chip'} ref={root}>
      <button
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={press}
      >
        <span class="name">{value === null ? label : t('{label}: {value}', { label, value })}</span>
        {!isSet && <Icon name="down" />}
      </button>
      {isSet && (
        <button
          type="button"
          aria-label={t('Remove the filter “{label}”', { label })}
          onClick={() => {
            onClear();
            button.current?.focus();
          }}
        >
          <Icon name="close" />
        </button>
      )}
      {open && (
        <div
          class="items choosing-filter"
          popover="manual"
          ref={box}
          role="dialog"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={press}
        >
          {children(close)}
        </div>
      )}
    </span>
  );
}

interface RadiosProps {
  name: string;
  value: string | null;
  options: readonly { value: string; label: string }[];
  onChange(value: string): void;
}

/** One of a few. */
export function Radios({ name, value, options, onChange }: RadiosProps) {
  return (
    <>
      {options.map((option) => (
        <label key={option.value} class="check">
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          <span>{option.label}</span>
        </label>
      ))}
    </>
  );
}
