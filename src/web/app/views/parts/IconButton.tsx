import { Icon, type IconName } from './Icon.tsx';

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
