import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { IconButton } from './IconButton.tsx';

interface DialogProps {
  title: string;
  /** For what needs more room. */
  wide?: boolean;
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, Escape closes it, and the focus goes back to where it was. */
export function Dialog({ title, wide = false, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      // A dialog that is taken away, instead of being closed, leaves the focus nowhere.
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus();
    };
  }, []);
  return (
    <dialog ref={ref} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={() => ref.current?.close()} />
      </header>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  onClose(): void;
  onConfirm(): void;
}

export function Confirm({ title, text, action, onClose, onConfirm }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <footer>
        <button type="button" class="button quiet" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
