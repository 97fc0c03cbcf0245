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
