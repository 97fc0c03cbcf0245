import { useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps {
  label: string;
  /** Beside the one that is expected: another way on, or one that cannot be undone. */
  kind?: 'quiet' | 'danger' | undefined;
  disabled?: boolean;
  onClick(): void;
}

/** A button that says what it does; `IconButton` shows it. */
export function Button({ label, kind, disabled = false, onClick }: ButtonProps) {
  return (
    <button type="button" class={kind ? `button ${kind}` : 'button'} disabled={disabled} onClick={onClick}>
      {label}
    </button>
  );
}

interface IconButtonProps {
  icon: IconName;
  label: string;
  disabled?: boolean;
  /** For those that arrow keys lead to, and not Tab. */
  tabIndex?: number;
  onClick(): void;
}

/** A button that shows nothing but a picture: its label is read out, and seen when the pointer rests on it. */
export function IconButton({ icon, label, disabled = false, tabIndex, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      class="icon"
      aria-label={label}
      title={label}
      disabled={disabled}
      tabIndex={tabIndex}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Stands at the end of a list of which there is more. */
export function More({ onMore }: { onMore(): Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  const fetch = async () => {
    setBusy(true);
    await onMore();
    setBusy(false);
  };
  return (
    // It is not disabled meanwhile: that would take the focus away from it.
    <button type="button" class="button quiet more" aria-busy={busy} onClick={() => !busy && void fetch()}>
      {busy ? 'One moment…' : 'Show more'}
    </button>
  );
}
