import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useTexts } from '../useApp.ts';
import { Button, IconButton } from './Button.tsx';

interface DialogProps {
  title: string;
  /** For content that needs more room. */
  size?: 'wide' | 'full';
  onKeyDown?(event: KeyboardEvent): void;
  onClose(): void;
  children: ComponentChildren;
}

/** A modal dialog: the browser keeps the focus in it, Escape closes it, and the focus returns. */
export function Dialog({ title, size, onKeyDown, onClose, children }: DialogProps) {
  const { t } = useTexts();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const before = useRef<Element | null>(null);
  // Before a field in it takes the focus, which hidden elements cannot have.
  useLayoutEffect(() => {
    before.current = document.activeElement;
    ref.current?.showModal();
  }, []);
  const giveBack = () => {
    // A dialog that is removed instead of closed loses the focus.
    if (before.current instanceof HTMLElement && document.activeElement === document.body) before.current.focus();
  };
  useEffect(() => giveBack, []);
  return (
    <dialog ref={ref} class={size ?? ''} aria-labelledby={id} onKeyDown={onKeyDown} onClose={onClose}>
      {/* Its head and foot are its own, and not those of the page. */}
      <section>
        <header>
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label={t('Close')} onClick={() => ref.current?.close()} />
        </header>
        {children}
      </section>
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
  const { t } = useTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <footer>
        <Button label={t('Cancel')} kind="quiet" onClick={onClose} />
        <Button
          label={action}
          kind="danger"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        />
      </footer>
    </Dialog>
  );
}
