import { useState } from 'preact/hooks';
import { useTexts } from '../useApp.ts';
import { Icon, type IconName } from './Icon.tsx';

interface ButtonProps {
  label: string;
  /** A secondary button, or one for what cannot be undone. */
  kind?: 'quiet' | 'danger' | undefined;
  disabled?: boolean;
  onClick(): void;
}

/** A button with a text. */
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
  /** -1 where arrow keys move the focus instead of Tab. */
  tabIndex?: number;
  onClick(): void;
}

/** A button with an icon alone. Its label is read out, and shown under the pointer. */
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

/** A button at the end of a list that loads more. */
export function More({ onMore }: { onMore(): Promise<unknown> }) {
  const { t } = useTexts();
  const [busy, setBusy] = useState(false);
  const fetch = async () => {
    setBusy(true);
    await onMore();
    setBusy(false);
  };
  return (
    // It is not disabled meanwhile, since it would lose the focus.
    <button type="button" class="button quiet more" aria-busy={busy} onClick={() => !busy && void fetch()}>
      {busy ? t('One moment…') : t('Show more')}
    </button>
  );
}
